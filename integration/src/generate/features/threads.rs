//! Several threads. What each one does follows from the program alone, so that two runs do the same: they take
//! turns, or work on what is theirs; what they share is asked for when all have ended.

use super::super::maker::Maker;

/// Threads that work at the same time, each on its own objects and array, and count together under a lock.
pub(super) fn together(make: &mut Maker) {
    let number = make.number();
    let class = format!("T{number}");
    let package = make.package.clone();
    let rounds = make.random.between(2, 5);
    let run = make.member(
        &class,
        "public",
        None,
        "run",
        &[],
        &format!(
            "for (int i = «+T.l(\"i\", »0«+)»; ⟦i < {rounds}⟧; i++«+, T.w(\"i\", i)») {{\nmine[i & 1] += i * k; §this.mine[i&1]\nsynchronized (lock) {{\nk++; §this.k\nlock.add(k);\n}}\n}}\n"
        ),
    );
    make.beside(
        &format!("class {class} implements Runnable"),
        &format!(
            "final int[] mine;\nint k;\nfinal List<Integer> lock;\n{class}(int k, List<Integer> lock) {{\nsuper();«+ final int d$ = T.in(\"@.{class}\", \"<init>\", this, (Object) k, (Object) lock);»\nthis.mine = ⟪new int[2]⟫; §this.mine\nthis.k = k; §this.k\nthis.lock = lock; §this.lock\n«+T.r(d$);»\n}}\n"
        ),
        vec![run],
    );
    let text = format!(
        "List<Integer> l = new ArrayList<>(); §l\n{class} a = ⟪new {class}(n, l)⟫; §a\n{class} b = ⟪new {class}(2, l)⟫; §b\nThread s = new Thread(a, \"{package}-a{number}\"); §s\nThread t = new Thread(b, \"{package}-b{number}\"); §t\ns.start();\nt.start();\ns.join();\nt.join();\nint r = a.mine[0] * 31 + b.mine[1]; §r\nreturn r + l.size();\n"
    );
    make.family_method_that_throws("together", "Exception", &text, 60);
}

/// Threads that hand an object on to one another by semaphores.
pub(super) fn in_turns(make: &mut Maker) {
    let number = make.number();
    let class = format!("U{number}");
    let package = make.package.clone();
    let run = make.member(
        &class,
        "public",
        None,
        "run",
        &[],
        "for (int i = «+T.l(\"i\", »0«+)»; ⟦i < 3⟧; i++«+, T.w(\"i\", i)») {\nmine.acquireUninterruptibly();\ncells[i] = cells[i] * 2 + k; §this.cells[i]\ntotal += cells[i];«+ T.s(\"@.%.total\", total);»\nother.release();\n}\n"
            .replace('%', &class)
            .as_str(),
    );
    make.beside(
        &format!("class {class} implements Runnable"),
        &format!(
            "static int total;\nint k;\nfinal int[] cells;\nfinal java.util.concurrent.Semaphore mine;\nfinal java.util.concurrent.Semaphore other;\n{class}(int k, int[] cells, java.util.concurrent.Semaphore mine, java.util.concurrent.Semaphore other) {{\nsuper();«+ final int d$ = T.in(\"@.{class}\", \"<init>\", this, (Object) k, (Object) cells, (Object) mine, (Object) other);»\nthis.k = k; §this.k\nthis.cells = cells; §this.cells\nthis.mine = mine; §this.mine\nthis.other = other; §this.other\n«+T.r(d$);»\n}}\n"
        ),
        vec![run],
    );
    let text = format!(
        "int[] c = ⟪=new int[] {{1, n, 3}}⟫; §c\njava.util.concurrent.Semaphore p = new java.util.concurrent.Semaphore(1); §p\njava.util.concurrent.Semaphore q = new java.util.concurrent.Semaphore(0); §q\nThread s = new Thread(⟪new {class}(5, c, p, q)⟫, \"{package}-c{number}\"); §s\nThread t = new Thread(⟪new {class}(7, c, q, p)⟫, \"{package}-d{number}\"); §t\ns.start();\nt.start();\ns.join();\nt.join();\nint r = c[0] * 31 + c[2]; §r\nreturn r + {class}.total;\n"
    );
    make.family_method_that_throws("turns", "Exception", &text, 60);
}
