import { z } from 'zod';

/** A value of a wire record as a newer service may send it. */
export type Tolerant<Value> = Value extends null
  ? null | undefined
  : Value extends string
    ? string
    : Value extends readonly (infer Item)[]
      ? Tolerant<Item>[]
      : Value extends object
        ? { [Key in keyof Value]: Tolerant<Value[Key]> }
        : Value;

/**
 * Derives the schema by which the command line reads a wire record, so that it also understands a newer service:
 * unknown fields are kept for `--json`, an enumeration or a formatted text accepts any text, and a field that can be
 * `null` can be absent.
 */
export function tolerant<Record extends z.ZodType>(record: Record): z.ZodType<Tolerant<z.output<Record>>> {
  return tolerantSchema(record) as z.ZodType<Tolerant<z.output<Record>>>;
}

function tolerantSchema(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, tolerantSchema(field)]);
    return z.looseObject(Object.fromEntries(fields) as z.ZodRawShape);
  }
  if (schema instanceof z.ZodArray) return z.array(tolerantSchema(schema.element));
  if (schema instanceof z.ZodReadonly) return tolerantSchema(schema.unwrap());
  if (schema instanceof z.ZodNullable) return tolerantSchema(schema.unwrap()).nullish();
  if (schema instanceof z.ZodOptional) return tolerantSchema(schema.unwrap()).optional();
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) {
    return z.string();
  }
  if (schema instanceof z.ZodNumber) return z.number();
  return schema as z.ZodType;
}
