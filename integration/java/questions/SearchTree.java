/** A binary search tree of numbers with insertion, removal and questions of order. */
public class SearchTree {
    Node root;
    int size;

    public static void main(String[] args) {
        SearchTree tree = new SearchTree();
        int[] keys = {50, 30, 70, 20, 40, 60, 80, 35, 45, 65, 75, 85};
        for (int key : keys) {
            tree.insert(key);
        }
        tree.insert(40);
        tree.show();
        tree.remove(20);
        tree.remove(30);
        tree.remove(70);
        tree.remove(99);
        tree.show();
        System.out.println("height " + height(tree.root) + ", floor of 62 " + floor(tree.root, 62));
        System.out.println("third " + tree.select(3) + ", below 60 " + tree.below(60));
    }

    static class Node {
        int key;
        int count = 1;
        Node left;
        Node right;

        Node(int key) {
            this.key = key;
        }
    }

    void insert(int key) {
        root = insert(root, key);
    }

    Node insert(Node node, int key) {
        if (node == null) {
            size++;
            return new Node(key);
        }
        if (key < node.key) {
            node.left = insert(node.left, key);
        } else if (key > node.key) {
            //@ insert-twice: } else if (key >= node.key) {
            node.right = insert(node.right, key);
            //@ insert-crossed: node.right = insert(key > 80 ? node.left : node.right, key);
        }
        count(node);
        return node;
    }

    void count(Node node) {
        node.count = 1 + countOf(node.left) + countOf(node.right);
        //@ count-leaves-out: node.count = countOf(node.left) + Math.max(1, countOf(node.right));
    }

    static int countOf(Node node) {
        return node == null ? 0 : node.count;
    }

    void remove(int key) {
        root = remove(root, key);
    }

    Node remove(Node node, int key) {
        if (node == null) {
            return null;
        }
        if (key < node.key) {
            node.left = remove(node.left, key);
        } else if (key > node.key) {
            node.right = remove(node.right, key);
        } else if (node.left == null) {
            size--;
            //@ size-kept:
            return node.right;
        } else if (node.right == null) {
            size--;
            return node.left;
        } else {
            Node heir = least(node.right);
            node.key = heir.key;
            node.right = remove(node.right, heir.key);
            //@ heir-stays: size--;
        }
        count(node);
        return node;
    }

    static Node least(Node node) {
        return node.left == null ? node : least(node.left);
        //@ least-is-second: return node.left == null || node.left.left == null ? node : least(node.left);
    }

    static int height(Node node) {
        if (node == null) {
            return 0;
        }
        return 1 + Math.max(height(node.left), height(node.right));
        //@ height-of-left: return 1 + Math.max(height(node.left), height(node.left));
    }

    static int floor(Node node, int key) {
        if (node == null) {
            return -1;
        }
        if (node.key > key) {
            return floor(node.left, key);
        }
        return Math.max(node.key, floor(node.right, key));
        //@ floor-stops: return node.key;
    }

    int select(int rank) {
        return select(root, rank);
    }

    static int select(Node node, int rank) {
        if (node == null) {
            return -1;
        }
        int before = countOf(node.left);
        if (rank < before) {
            return select(node.left, rank);
        }
        return rank == before ? node.key : select(node.right, rank - before - 1);
    }

    int below(int key) {
        int sum = 0;
        Node node = root;
        while (node != null) {
            if (node.key < key) {
                sum += 1 + countOf(node.left);
                //@ below-half: sum += countOf(node.left);
                node = node.right;
            } else {
                node = node.left;
            }
        }
        return sum;
    }

    void show() {
        StringBuilder line = new StringBuilder();
        walk(root, line);
        System.out.println(size + ":" + line);
    }

    static void walk(Node node, StringBuilder line) {
        if (node != null) {
            walk(node.left, line);
            line.append(' ').append(node.key);
            walk(node.right, line);
        }
    }
}
