package judge;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;

/** Changes classes as they are loaded: every method tells {@link Judge} when it begins and how it ends. */
final class Instrument {
    private static final ClassDesc JUDGE = ClassDesc.of("judge.Judge");
    private static final MethodTypeDesc ENTER =
            MethodTypeDesc.ofDescriptor("(Ljava/lang/String;Ljava/lang/Object;[Ljava/lang/Object;)V");
    private static final MethodTypeDesc EXIT = MethodTypeDesc.ofDescriptor("(Ljava/lang/Object;Ljava/lang/Object;)V");
    private static final MethodTypeDesc THROWN = MethodTypeDesc.ofDescriptor("(Ljava/lang/Throwable;)V");

    private final ClassFile files;

    Instrument(ClassLoader loader) {
        files = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(loader).orElse(ClassHierarchyResolver.defaultResolver())));
    }

    /** The class with calls that tell of its calls. */
    byte[] telling(byte[] bytes) {
        ClassModel model = files.parse(bytes);
        String name = model.thisClass().asInternalName();
        return files.transformClass(model, (builder, element) -> {
            if (element instanceof MethodModel method && method.code().isPresent()) {
                String key = name + "." + method.methodName() + method.methodType();
                builder.transformMethod(method, (made, part) -> {
                    if (part instanceof java.lang.classfile.CodeModel code) {
                        made.withCode(body -> wrap(body, method, code, key));
                    } else {
                        made.with(part);
                    }
                });
            } else {
                builder.with(element);
            }
        });
    }

    /** The class with fields that can be set, for the copies that the right methods run on. */
    byte[] open(byte[] bytes) {
        return files.transformClass(files.parse(bytes), (builder, element) -> {
            if (element instanceof FieldModel field && field.flags().has(AccessFlag.FINAL)
                    && field.findAttribute(java.lang.classfile.Attributes.constantValue()).isEmpty()) {
                builder.transformField(field, (made, part) -> {
                    if (part instanceof java.lang.classfile.AccessFlags flags) {
                        made.withFlags(flags.flagsMask() & ~ClassFile.ACC_FINAL);
                    } else {
                        made.with(part);
                    }
                });
            } else {
                builder.with(element);
            }
        });
    }

    private static void wrap(CodeBuilder body, MethodModel method, java.lang.classfile.CodeModel code, String key) {
        boolean isStatic = method.flags().has(AccessFlag.STATIC);
        boolean isConstructor = method.methodName().equalsString("<init>");
        TypeKind result = TypeKind.from(method.methodTypeSymbol().returnType());
        CodeTransform tellExits = (out, element) -> {
            if (element instanceof ReturnInstruction) {
                exit(out, isConstructor, result);
            }
            out.with(element);
        };
        body.ldc(key);
        if (isStatic || isConstructor) {
            body.aconst_null();
        } else {
            body.aload(0);
        }
        arguments(body, method, isStatic);
        body.invokestatic(JUDGE, "enter", ENTER);
        if (isConstructor) {
            // Before the constructor above has run, `this` is nothing that a handler may hold: what it throws is told
            // by the call that made the object.
            body.transform(code, tellExits);
        } else {
            Label begin = body.newBoundLabel();
            body.transform(code, tellExits);
            Label handler = body.newBoundLabel();
            body.exceptionCatchAll(begin, handler, handler);
            body.dup();
            body.invokestatic(JUDGE, "thrown", THROWN);
            body.athrow();
        }
    }

    /** Leaves what is on the stack as it is. */
    private static void exit(CodeBuilder out, boolean isConstructor, TypeKind result) {
        switch (result) {
            case VOID -> out.aconst_null();
            case LONG, DOUBLE -> {
                out.dup2();
                box(out, result);
            }
            default -> {
                out.dup();
                box(out, result);
            }
        }
        if (isConstructor) {
            out.aload(0);
        } else {
            out.aconst_null();
        }
        out.invokestatic(JUDGE, "exit", EXIT);
    }

    private static void arguments(CodeBuilder body, MethodModel method, boolean isStatic) {
        var types = method.methodTypeSymbol().parameterList();
        body.loadConstant(types.size());
        body.anewarray(ConstantDescs.CD_Object);
        int slot = isStatic ? 0 : 1;
        for (int i = 0; i < types.size(); i++) {
            TypeKind kind = TypeKind.from(types.get(i));
            body.dup();
            body.loadConstant(i);
            body.loadLocal(kind, slot);
            box(body, kind);
            body.aastore();
            slot += kind.slotSize();
        }
    }

    private static void box(CodeBuilder out, TypeKind kind) {
        ClassDesc box = switch (kind) {
            case BOOLEAN -> ConstantDescs.CD_Boolean;
            case BYTE -> ConstantDescs.CD_Byte;
            case SHORT -> ConstantDescs.CD_Short;
            case CHAR -> ConstantDescs.CD_Character;
            case INT -> ConstantDescs.CD_Integer;
            case LONG -> ConstantDescs.CD_Long;
            case FLOAT -> ConstantDescs.CD_Float;
            case DOUBLE -> ConstantDescs.CD_Double;
            default -> null;
        };
        if (box != null) {
            out.invokestatic(box, "valueOf", MethodTypeDesc.of(box, kind.upperBound()));
        }
    }
}
