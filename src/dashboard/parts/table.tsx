/** A table. On a screen as narrow as a phone, each row becomes a card. */
import type { ComponentChildren } from 'preact'
import type { Text } from '../texts/catalogue.ts'
import { count, t } from '../texts/t.ts'
import { Button } from './button.tsx'

export interface Column<T> {
  label: string
  cell(row: T): ComponentChildren
  isRight?: boolean
  /** True for the column that names the row. On a phone it is the head of the card. */
  isHead?: boolean
}

interface TableProps<T> {
  name: string
  rows: readonly T[]
  columns: readonly Column<T>[]
  keyOf(row: T): string
  nameOf?: (row: T) => string
  chosen?: ReadonlySet<string>
  onChoose?: (chosen: ReadonlySet<string>) => void
}

const classOf = ({ isRight, isHead }: { isRight?: boolean; isHead?: boolean }) =>
  [isRight && 'right', isHead && 'head'].filter(Boolean).join(' ')

export function Table<T>({ name, rows, columns, keyOf, nameOf, chosen, onChoose }: TableProps<T>) {
  const keys = rows.map(keyOf)
  const isAll = chosen !== undefined && keys.length > 0 && keys.every((key) => chosen.has(key))
  const choose = (these: readonly string[], isOn: boolean) => {
    const kept = [...(chosen ?? [])].filter((key) => !these.includes(key))
    onChoose?.(new Set(isOn ? [...kept, ...these] : kept))
  }
  return (
    <div class="scroll">
      <table class="cards">
        <caption class="only-read-aloud">{name}</caption>
        <thead>
          <tr>
            {chosen ? (
              <th class="pick" scope="col">
                <input
                  type="checkbox"
                  aria-label={t('Select all on this page')}
                  checked={isAll}
                  onChange={() => choose(keys, !isAll)}
                />
              </th>
            ) : null}
            {columns.map((column) => (
              <th key={column.label} scope="col" class={classOf(column)}>
                {column.label || <span class="only-read-aloud">{t('Actions')}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = keyOf(row)
            return (
              <tr key={key} class={chosen?.has(key) ? 'is-chosen' : ''}>
                {chosen ? (
                  <td class="pick">
                    <input
                      type="checkbox"
                      aria-label={t('Choose {name}', { name: nameOf?.(row) ?? key })}
                      checked={chosen.has(key)}
                      onChange={(event) => choose([key], event.currentTarget.checked)}
                    />
                  </td>
                ) : null}
                {columns.map((column) => (
                  <td key={column.label} class={classOf(column)} data-label={column.label}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

interface PagerProps {
  page: number
  pageSize: number
  total: number
  what: readonly [one: Text, many: Text]
  onPage(page: number): void
}

export function Pager({ page, pageSize, total, what, onPage }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / pageSize))
  return (
    <div class="pager">
      <span class="number">
        {count(total, ...what)}
        {last > 1 ? t(', page {page} of {last}', { page, last }) : ''}
      </span>
      {last > 1 ? (
        <span class="row">
          <Button isDisabled={page <= 1} onPress={() => onPage(page - 1)}>
            {t('Back')}
          </Button>
          <Button isDisabled={page >= last} onPress={() => onPage(page + 1)}>
            {t('Next')}
          </Button>
        </span>
      ) : null}
    </div>
  )
}
