/** Forms that are generated from the schemas of the API description, with limits and descriptions of the fields. */
import { useState } from 'preact/hooks'
import type { RightName } from '../../domain/dashboard-rights.ts'
import { whyNot } from '../api/rights.ts'
import { useAction } from '../app/load.ts'
import forms from '../generated/forms.json'
import { FIELD_WORDS, type FieldWords } from '../texts/field-words.ts'
import { t } from '../texts/t.ts'
import { Button } from './button.tsx'
import { Check, Choice, Field, Line, type Tied } from './field.tsx'
import { Form } from './form.tsx'
import { Problem } from './notice.tsx'
import { isoOf, localOf } from './time.tsx'
import { readable, Words } from './words.tsx'

export interface Schema {
  type?: string | readonly string[]
  description?: string
  enum?: readonly (string | null)[]
  minimum?: number
  maximum?: number
  maxLength?: number
  format?: string
  examples?: readonly unknown[]
}

export type Values = Record<string, unknown>

/** Schemas of the request fields of an operation, by field name. */
export const fieldsOf = (operation: keyof typeof forms) => forms[operation].properties as Record<string, Schema>

const isOf = ({ type }: Schema, wanted: string) => (Array.isArray(type) ? type.includes(wanted) : type === wanted)

interface InputProps {
  name: string
  schema: Schema
  value: unknown
  wrong: string | undefined
  onChange(value: unknown): void
}

const LONG = 500

const textOf = (schema: Schema, text: string) => (text === '' && isOf(schema, 'null') ? null : text)

/**
 * Returns the hint of a field. The description of the API is for programmers, so it is used only if the field has no
 * words of its own.
 */
function hintOf(words: FieldWords | undefined, { description }: Schema) {
  if (words) return words.hint
  return description ? <Words text={description} /> : undefined
}

function Input({ name, schema, value, wrong, onChange }: InputProps) {
  const words = FIELD_WORDS[name]
  const label = words?.label ?? readable(name)
  const hint = hintOf(words, schema)
  if (isOf(schema, 'boolean')) {
    const ticked = words?.isTurned !== true
    return (
      <Check label={label} hint={hint} wrong={wrong} value={value === ticked} onChange={(isOn) => onChange(isOn === ticked)} />
    )
  }
  if (schema.enum) {
    const options = schema.enum.flatMap((each) =>
      each === null ? [] : [[each, words?.options?.[each] ?? readable(each)] as const],
    )
    const none = isOf(schema, 'null') ? { none: t('None') } : {}
    return (
      <Field label={label} hint={hint} wrong={wrong}>
        {(tied) => (
          <Choice
            tied={tied}
            value={String(value ?? '')}
            options={options}
            {...none}
            onChange={(word) => onChange(textOf(schema, word))}
          />
        )}
      </Field>
    )
  }
  if (isOf(schema, 'integer')) {
    const scale = words?.scale ?? 1
    const { minimum: least = 0, maximum: most } = schema
    const bounds = most === undefined ? '' : ` ${t('{least} to {most}.', { least: least / scale, most: most / scale })}`
    return (
      <Line
        label={label}
        type="number"
        step={scale === 1 ? '1' : 'any'}
        hint={
          <>
            {hint}
            {bounds}
          </>
        }
        wrong={wrong}
        value={typeof value === 'number' ? String(value / scale) : ''}
        onChange={(text) => onChange(text === '' ? (isOf(schema, 'null') ? null : undefined) : Math.round(Number(text) * scale))}
      />
    )
  }
  const text = String(value ?? '')
  if (schema.format === 'date-time')
    return (
      <Line
        label={label}
        type="datetime-local"
        hint={hint}
        wrong={wrong}
        value={localOf(text)}
        onChange={(next) => onChange(textOf(schema, isoOf(next)))}
      />
    )
  if ((schema.maxLength ?? 0) > LONG && schema.examples === undefined)
    return (
      <Field label={label} hint={hint} wrong={wrong}>
        {(tied: Tied) => (
          <textarea {...tied} value={text} onInput={(event) => onChange(textOf(schema, event.currentTarget.value))} />
        )}
      </Field>
    )
  return (
    <Line
      label={label}
      hint={hint}
      wrong={wrong}
      value={text}
      placeholder={schema.examples ? String(schema.examples[0]) : ''}
      onChange={(next) => onChange(textOf(schema, next))}
    />
  )
}

interface SchemaFormProps {
  fields: Record<string, Schema>
  values: Values
  save(changes: Values): Promise<string>
  /** Text of the button. A page may have several forms, so the button says what it saves. */
  does: string
  needs?: RightName
}

export function SchemaForm({ fields, values, save, does, needs }: SchemaFormProps) {
  const reason = whyNot(needs)
  const [changes, setChanges] = useState<Values>({})
  const names = Object.keys(fields)
  const changed = Object.fromEntries(Object.entries(changes).filter(([name, value]) => value !== values[name]))
  const { run, isBusy, problem, clear } = useAction(async () => {
    const done = await save(changed)
    setChanges({})
    return done
  })
  const isChanged = Object.keys(changed).length > 0
  return (
    <Form class="stack" onSubmit={() => run()}>
      {reason ? <p class="soft">{reason}</p> : null}
      <fieldset class="stack" disabled={reason !== undefined}>
        {names.map((name) => (
          <Input
            key={name}
            name={name}
            schema={fields[name]!}
            value={name in changes ? changes[name] : values[name]}
            wrong={problem?.issues.get(name)}
            onChange={(value) => setChanges((before) => ({ ...before, [name]: value }))}
          />
        ))}
      </fieldset>
      <Problem of={problem} fields={names} />
      <div class="row">
        <Button look="primary" isBusy={isBusy} isDisabled={!isChanged && !reason} needs={needs}>
          {does}
        </Button>
        {isChanged ? (
          <Button
            look="quiet"
            onPress={() => {
              setChanges({})
              clear()
            }}
          >
            {t('Undo')}
          </Button>
        ) : null}
      </div>
    </Form>
  )
}

export const pick = (fields: Record<string, Schema>, isWanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => isWanted(name)))
