package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CartTest {
    @Test
    public void twoItemsCost() {
        assertEquals(5, new Cart().add(2).add(3).total());
    }

    @Test
    public void theThirdIsFree() {
        assertEquals(5, new Cart().add(2).add(3).add(4).total());
    }
}
