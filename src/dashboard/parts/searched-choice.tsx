import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { narrowed } from '../../domain/word-search.ts'
import { t } from '../texts/t.ts'
import { Choice, type ChoiceProps } from './field.tsx'

type Option = ChoiceProps['options'][number]

interface SearchedChoiceProps extends ChoiceProps {
  label: string
  /** Returns further words by which an option is found, besides its text and its group. */
  wordsOf?: (value: string) => string
}

/**
 * A list with a field for a search. If the search does not find the chosen option, the list shows what it has found,
 * and the form cannot be sent.
 */
export function SearchedChoice({ label, wordsOf, ...choice }: SearchedChoiceProps) {
  const { groupOf, options, value, onChange } = choice
  const [text, setText] = useState('')
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const textOf = ([each, name]: Option) => [name, groupOf?.(each), wordsOf?.(each)].join(' ')
  const { hasField, isMissed, shown } = narrowed(options, text, value, textOf)
  const said = shown.length === 0 ? t('Nothing matches.') : t('Found: {n}. Choose one.', { n: shown.length })
  useEffect(() => {
    list.current?.querySelector('select')?.setCustomValidity(isMissed ? said : '')
  }, [isMissed, said])
  const choose = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    const first = shown[0]
    if (isMissed && first) onChange(first[0])
  }
  const pick = (next: string) => {
    if (next === '') setText('')
    onChange(next)
  }
  return (
    <div class="searched" ref={list}>
      {hasField ? (
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
      ) : null}
      <Choice {...choice} options={shown} missing={isMissed ? said : undefined} onChange={pick} />
      <span id={id} class="only-read-aloud" role="status">
        {isMissed ? said : ''}
      </span>
    </div>
  )
}
