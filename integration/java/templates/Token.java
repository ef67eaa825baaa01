package templates;

/** A piece of a template's source. */
record Token(Kind kind, String text, int at) {
    enum Kind { TEXT, OPEN_OUTPUT, CLOSE_OUTPUT, OPEN_TAG, CLOSE_TAG, NAME, NUMBER, STRING, SYMBOL, END }

    boolean is(Kind kind, String text) {
        return this.kind == kind && this.text.equals(text);
    }
}
