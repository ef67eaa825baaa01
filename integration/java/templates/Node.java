package templates;

import java.util.List;

/** A part of a template. */
sealed interface Node {
    record Text(String text) implements Node {}

    record Output(Expr expr) implements Node {}

    record Let(String name, Expr value) implements Node {}

    record If(Expr condition, List<Node> then, List<Node> otherwise) implements Node {}

    record For(String name, Expr of, List<Node> body) implements Node {}
}
