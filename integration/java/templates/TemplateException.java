package templates;

/** A template that cannot be read or filled. */
final class TemplateException extends RuntimeException {
    private static final long serialVersionUID = 1;

    final int at;

    TemplateException(String message, int at) {
        super(message);
        this.at = at;
    }
}
