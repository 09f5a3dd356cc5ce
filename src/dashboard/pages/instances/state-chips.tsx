/**
 * Buttons with the states of the instances and the number of instances in each state. A pressed button limits the list
 * to the instances in its state.
 */
import type { InstanceRow } from '../../../domain/dashboard.ts'
import { type ShownState, stateOf, troubleOf } from '../../../domain/instance-list.ts'
import { setQuery } from '../../app/route.ts'
import { SHOWN_STATES, stateText } from '../../parts/badge.tsx'
import { formats } from '../../texts/language.ts'
import { t } from '../../texts/t.ts'

const TROUBLE = 'trouble'

const isIn = (row: InstanceRow, state: string) =>
  state === '' || (state === TROUBLE ? troubleOf(row) > 0 : stateOf(row) === state || row.status === state)

export const matches = (q: string, state: string) => {
  const word = q.trim().toLowerCase()
  return (row: InstanceRow) =>
    isIn(row, state) &&
    (word === '' ||
      [row.name, row.id, row.last_phone ?? '', row.profile_name ?? ''].some((text) => text.toLowerCase().includes(word)))
}

/**
 * Returns the choices: all, in trouble, and the states that instances have. The chosen one is among them, because its
 * button must not disappear with the last instance in this state.
 */
function choicesOf(rows: readonly InstanceRow[], chosen: string) {
  const counts = new Map<ShownState, number>()
  for (const row of rows) counts.set(stateOf(row), (counts.get(stateOf(row)) ?? 0) + 1)
  const states = SHOWN_STATES.filter((state) => counts.has(state) || state === chosen)
  const troubled = rows.filter((row) => troubleOf(row) > 0).length
  return [
    { value: '', text: t('All'), n: rows.length },
    ...(troubled > 0 || chosen === TROUBLE ? [{ value: TROUBLE, text: t('In trouble'), n: troubled }] : []),
    ...states.map((state) => ({ value: state, text: stateText(state), n: counts.get(state) ?? 0 })),
  ]
}

export const StateChips = ({ rows, chosen }: { rows: readonly InstanceRow[]; chosen: string }) => (
  <fieldset class="chips">
    <legend class="only-read-aloud">{t('Status')}</legend>
    {choicesOf(rows, chosen).map(({ value, text, n }) => (
      <button
        key={value}
        type="button"
        class={value === TROUBLE ? 'chip bad' : 'chip'}
        aria-pressed={value === chosen}
        onClick={() => setQuery({ status: value, page: '' })}
      >
        {text} <span class="number">{n.toLocaleString(formats)}</span>
      </button>
    ))}
  </fieldset>
)
