import java.awt.Point;
import java.io.IOException;
import java.io.StreamTokenizer;
import java.io.StringReader;

/** Fields that classes of the JDK declare, read and written by their names. */
public class Points {
    public static void main(String[] arguments) throws IOException {
        Point point = new Point(1, 2);
        point.x = 40;
        int read = point.x;
        point.y += read;
        StreamTokenizer words = new StreamTokenizer(new StringReader("seven 7"));
        words.nextToken();
        String word = words.sval;
        words.nextToken();
        double number = words.nval;
        System.out.println(point.y + word + number);
    }
}
