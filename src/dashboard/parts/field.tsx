/** A control with its label, hint and error, connected for screen readers. */
import type { ComponentChildren, JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import { t } from '../texts/t.ts'

export interface Tied {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': 'true' | undefined
}

function useTied(hint: unknown, wrong: unknown): Tied {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', wrong ? `${id}-wrong` : ''].filter(Boolean).join(' ')
  return { id, 'aria-describedby': described || undefined, 'aria-invalid': wrong ? 'true' : undefined }
}

const Below = ({ id, hint, wrong }: { id: string; hint: ComponentChildren; wrong: string | undefined }) => (
  <>
    {hint ? (
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
    ) : null}
    {wrong ? (
      <span class="wrong" id={`${id}-wrong`} role="alert">
        {wrong}
      </span>
    ) : null}
  </>
)

interface FieldProps {
  label: ComponentChildren
  hint?: ComponentChildren
  wrong?: string | undefined
  class?: string
  children(tied: Tied): JSX.Element
}

export function Field({ label, hint, wrong, class: more = '', children }: FieldProps) {
  const tied = useTied(hint, wrong)
  return (
    <div class={`field ${more}`}>
      <label for={tied.id}>{label}</label>
      {children(tied)}
      <Below id={tied.id} hint={hint} wrong={wrong} />
    </div>
  )
}

interface CheckProps {
  label: ComponentChildren
  hint?: ComponentChildren
  wrong?: string | undefined
  value: boolean
  isDisabled?: boolean
  onChange(value: boolean): void
}

export function Check({ label, hint, wrong, value, isDisabled, onChange }: CheckProps) {
  const tied = useTied(hint, wrong)
  return (
    <div class="check">
      <input
        {...tied}
        type="checkbox"
        checked={value}
        disabled={isDisabled ?? false}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <div class="field">
        <label for={tied.id}>{label}</label>
        <Below id={tied.id} hint={hint} wrong={wrong} />
      </div>
    </div>
  )
}

interface ChoiceProps {
  tied: Tied
  value: string
  /** Value and text of each option; names in the text are isolated. */
  options: readonly (readonly [value: string, text: string])[]
  none?: string
  onChange(value: string): void
}

export function Choice({ tied, value, options, none, onChange }: ChoiceProps) {
  return (
    <select {...tied} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {none === undefined ? null : <option value="">{none}</option>}
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** From this number of options on, a field narrows them. */
const MANY = 12

interface SearchedChoiceProps extends ChoiceProps {
  label: string
  /** Group of an option, if the list has groups. */
  groupOf?: (value: string) => string
}

const inGroups = (options: ChoiceProps['options'], groupOf: (value: string) => string) =>
  [...new Set(options.map(([value]) => groupOf(value)))].map(
    (group) => [group, options.filter(([value]) => groupOf(value) === group)] as const,
  )

/** A list with a field that narrows it. The chosen option always stays in the list. */
export function SearchedChoice({ label, groupOf, tied, value, options, none, onChange }: SearchedChoiceProps) {
  const [text, setText] = useState('')
  const word = text.trim().toLowerCase()
  const fits = ([each, name]: ChoiceProps['options'][number]) => each !== '' && name.toLowerCase().includes(word)
  const shown = word === '' ? options : options.filter((option) => option[0] === value || fits(option))
  const choose = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    const first = shown.find(fits)
    if (word !== '' && first) onChange(first[0])
  }
  const optionOf = ([each, name]: ChoiceProps['options'][number]) => (
    <option key={each} value={each}>
      {name}
    </option>
  )
  return (
    <div class="searched">
      {options.length < MANY ? null : (
        <input
          type="search"
          value={text}
          placeholder={t('Search')}
          aria-label={t('Search: {what}', { what: label })}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={choose}
        />
      )}
      <select {...tied} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {none === undefined ? null : <option value="">{none}</option>}
        {groupOf === undefined
          ? shown.map(optionOf)
          : inGroups(shown, groupOf).map(([group, within]) => (
              <optgroup key={group} label={group}>
                {within.map(optionOf)}
              </optgroup>
            ))}
      </select>
    </div>
  )
}

interface LineProps {
  label: ComponentChildren
  hint?: ComponentChildren
  wrong?: string | undefined
  class?: string
  value: string
  type?: 'text' | 'search' | 'tel' | 'password' | 'number' | 'datetime-local' | 'url'
  placeholder?: string
  required?: boolean
  maxLength?: number
  step?: string
  onChange(value: string): void
}

export const Line = ({ label, hint, wrong, class: more = '', onChange, type = 'text', ...rest }: LineProps) => (
  <Field label={label} hint={hint} wrong={wrong} class={more}>
    {(tied) => (
      <input
        {...tied}
        {...rest}
        // Only the types of the library distinguish these attributes.
        type={type as 'text'}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)
