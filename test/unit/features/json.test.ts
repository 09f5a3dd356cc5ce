import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FieldsSchema, fieldsSchema } from '../../../src/features/fields-schema.ts'
import { endpoints } from '../../../src/features/index.ts'
import { MAX_VALUES, parseJson, TooManyValues } from '../../../src/features/json.ts'

const parse = (text: string) => parseJson(new TextEncoder().encode(text))

test('as many values as there may be are parsed, and one more is not', () => {
  // The list itself also counts as a value.
  assert.equal((parse(`[${'1,'.repeat(MAX_VALUES - 1)}1]`) as unknown[]).length, MAX_VALUES)
  assert.throws(() => parse(`[${'1,'.repeat(MAX_VALUES)}1]`), TooManyValues)
  assert.throws(() => parse(`${'['.repeat(MAX_VALUES + 1)}${']'.repeat(MAX_VALUES + 1)}`), TooManyValues)
  assert.throws(() => parse(`${'{"a":'.repeat(MAX_VALUES + 1)}1${'}'.repeat(MAX_VALUES + 1)}`), TooManyValues)
})

test('what stands in a text is no value, however its quotes are written', () => {
  const text = `${'\\"'}${'[{,'.repeat(MAX_VALUES)}${'\\\\'}`
  assert.deepEqual(parse(`{"a":"${text}","b":"\\\\"}`), { a: JSON.parse(`"${text}"`), b: '\\' })
  // The string ends after the two backslashes. So the values after it must be counted.
  assert.throws(() => parse(`["\\\\",${'1,'.repeat(MAX_VALUES)}1]`), TooManyValues)
})

test('what is no JSON is no JSON, however long it is', () => {
  for (const text of ['"'.padEnd(MAX_VALUES * 2, 'x'), '{"a":"\\'.padEnd(MAX_VALUES * 2, '\\'), 'x'.repeat(MAX_VALUES * 2)])
    assert.throws(() => parse(text), SyntaxError)
})

/** Returns the largest number of values that a valid input can have. It is infinite if a list has no limit. */
function most(
  { $ref, anyOf, oneOf, properties, items, maxItems = Number.POSITIVE_INFINITY }: FieldsSchema,
  named: Record<string, FieldsSchema>,
): number {
  if ($ref !== undefined) return most(named[$ref.split('/').at(-1)!]!, named)
  const forms = anyOf ?? oneOf
  if (forms) return Math.max(...forms.map((form) => most(form, named)))
  if (items) return 1 + maxItems * most(items, named)
  return Object.values(properties ?? {}).reduce((sum, part) => sum + most(part, named), 1)
}

test('every operation takes far fewer values than there may be', () => {
  for (const endpoint of endpoints) {
    const schema = fieldsSchema(endpoint)
    const values = most(schema, schema.$defs ?? {})
    assert.ok(values <= MAX_VALUES / 4, `${endpoint.id}: ${values}`)
  }
})
