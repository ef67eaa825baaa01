import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** Objects that are written into a stream: the JDK asks each of them that it finds, and was not shown. */
final class Writes {
    static final class Point implements Serializable {
        private final int x;
        private transient int asked;

        Point(int x) {
            this.x = x;
        }

        private Object writeReplace() {
            asked++;
            return x == 2 ? "two" : this;
        }
    }

    static final class Path implements Serializable {
        private final Point from;
        private final Point to;

        Path(Point from, Point to) {
            this.from = from;
            this.to = to;
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeInt(from.x + to.x);
        }
    }

    public static void main(String[] args) throws IOException {
        Point shared = new Point(1);
        Path[] paths = {new Path(shared, new Point(2)), new Path(new Point(3), shared)};
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(paths);
        }
        System.out.println(bytes.size() + " " + shared.asked + " " + paths[0].to.asked);
    }
}
