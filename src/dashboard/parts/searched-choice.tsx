import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { found } from '../../domain/word-search.ts'
import { t } from '../texts/t.ts'
import { Choice, type ChoiceProps } from './field.tsx'

/** From this number of options on, a field narrows them. */
const MANY = 12

type Option = ChoiceProps['options'][number]

interface SearchedChoiceProps extends ChoiceProps {
  label: string
  /** More words by which an option is found, besides its text and its group. */
  wordsOf?: (value: string) => string
}

/**
 * A list with a field that narrows it. While the search does not find the chosen option, the list shows none, and a form
 * cannot be sent.
 */
export function SearchedChoice({ label, wordsOf, ...choice }: SearchedChoiceProps) {
  const { groupOf, options, value, onChange } = choice
  const [text, setText] = useState('')
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const textOf = ([each, name]: Option) => [name, groupOf?.(each), wordsOf?.(each)].join(' ')
  const isSearch = text.trim() !== ''
  const shown = isSearch
    ? found(
        options.filter(([each]) => each !== ''),
        text,
        textOf,
      )
    : options
  const isMissed = isSearch && !shown.some(([each]) => each === value)
  const said = shown.length === 0 ? t('Nothing matches.') : t('Found: {n}. Choose one.', { n: shown.length })
  useEffect(() => {
    list.current?.querySelector('select')?.setCustomValidity(isMissed ? said : '')
  }, [isMissed, said])
  const choose = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    const first = shown[0]
    if (isSearch && first) onChange(first[0])
  }
  return (
    <div class="searched" ref={list}>
      {options.length < MANY ? null : (
        <input
          type="search"
          value={text}
          placeholder={t('Search')}
          aria-label={t('Search: {what}', { what: label })}
          aria-describedby={id}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={choose}
        />
      )}
      <Choice {...choice} options={shown} {...(isMissed ? { value: '', none: '–' } : {})} />
      <span id={id} class="hint" role="status">
        {isMissed ? said : ''}
      </span>
    </div>
  )
}
