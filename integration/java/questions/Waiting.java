/** A waiting room: patients are called by urgency, and by arrival among equally urgent ones. */
public class Waiting {
    public static void main(String[] args) {
        Queue room = new Queue(4);
        String[] names = {"Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida"};
        int[] urgency = {3, 1, 4, 1, 5, 2, 5, 3, 4};
        for (int i = 0; i < names.length; i++) {
            room.add(new Patient(names[i], urgency[i], i));
            if (i % 4 == 3) {
                System.out.println("called " + room.next().name);
            }
        }
        System.out.println("worse: " + room.worsen("Ben", 6));
        while (room.size > 0) {
            Patient patient = room.next();
            System.out.println(patient.name + " " + patient.urgency);
        }
    }

    static class Patient {
        final String name;
        final int arrival;
        int urgency;

        Patient(String name, int urgency, int arrival) {
            this.name = name;
            this.urgency = urgency;
            this.arrival = arrival;
            //@ arrival-of-urgency: this.arrival = urgency;
        }

        boolean before(Patient other) {
            if (urgency != other.urgency) {
                return urgency > other.urgency;
            }
            return arrival < other.arrival;
            //@ before-by-name: return name.compareTo(other.name) > 0;
        }
    }

    static class Queue {
        Patient[] heap;
        int size;

        Queue(int capacity) {
            heap = new Patient[capacity];
        }

        void add(Patient patient) {
            if (size == heap.length) {
                grow();
            }
            heap[size] = patient;
            rise(size);
            size++;
        }

        void grow() {
            Patient[] more = new Patient[heap.length * 2];
            for (int i = 0; i < size; i++) {
                //@ grow-drops: for (int i = 0; i < size - 1; i++) {
                more[i] = heap[i];
            }
            heap = more;
        }

        void rise(int at) {
            int parent = (at - 1) / 2;
            if (at > 0 && heap[at].before(heap[parent])) {
                swap(at, parent);
                rise(parent);
                //@ rise-once:
            }
        }

        void sink(int at) {
            int best = at;
            for (int child = 2 * at + 1; child <= 2 * at + 2 && child < size; child++) {
                //@ sink-left-only: for (int child = 2 * at + 1; child < 2 * at + 2 && child < size; child++) {
                if (heap[child].before(heap[best])) {
                    best = child;
                }
            }
            if (best != at) {
                swap(at, best);
                sink(best);
            }
        }

        Patient next() {
            Patient first = heap[0];
            size--;
            heap[0] = heap[size];
            heap[size] = null;
            sink(0);
            //@ next-unsorted:
            return first;
        }

        boolean worsen(String name, int urgency) {
            int at = find(name);
            if (at < 0) {
                return false;
            }
            heap[at].urgency = urgency;
            rise(at);
            //@ worsen-sinks: sink(at);
            return true;
        }

        int find(String name) {
            for (int i = 0; i < size; i++) {
                //@ find-misses: for (int i = 0; i < size / 2; i++) {
                if (heap[i].name.equals(name)) {
                    return i;
                }
            }
            return -1;
        }

        void swap(int i, int j) {
            Patient kept = heap[i];
            heap[i] = heap[j];
            heap[j] = kept;
        }
    }
}
