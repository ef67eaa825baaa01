package com.util;

/** Goes by the end of its name, where that is not another class's whole one. */
public final class Count {
    public int n;

    public void up() {
        n += 10;
    }
}
