/**
 * Values that several requests of the control API use. The schemas are strict, so that a misspelt field is an error.
 */
import * as v from 'valibot'

export const text = v.pipe(v.string(), v.minLength(1, 'must not be empty'))

export const count = v.pipe(v.number(), v.integer(), v.minValue(0))

export const level = v.picklist(['none', 'delivered', 'read'])

/** A phone number. A plus sign at the beginning is accepted, but not stored. */
export const Phone = v.pipe(
  v.string(),
  v.regex(/^\+?\d{5,20}$/, 'must be a phone number, digits only'),
  v.transform((phone) => phone.replace('+', '')),
)

export const Message = v.record(v.string(), v.unknown())

export const numberInQuery = (least: number, most: number) =>
  v.pipe(v.string(), v.regex(/^\d+$/, 'must be a whole number'), v.transform(Number), v.minValue(least), v.maxValue(most))
