/** Allowlist of addresses. Before saving, the page says if the list would lock the user out. */
import { useState } from 'preact/hooks'
import type { AllowlistCheck } from '../../../domain/dashboard.ts'
import { answer, api, ask } from '../../api/client.ts'
import { session } from '../../api/session.ts'
import { useAction, useLoad } from '../../app/load.ts'
import { Button } from '../../parts/button.tsx'
import { Check, Line } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Notice, Problem } from '../../parts/notice.tsx'
import { t } from '../../texts/t.ts'
import type { Security } from './security.ts'

interface Row {
  key: number
  cidr: string
  note: string
}

let last = 0
const rowOf = ({ cidr, note }: { cidr: string; note?: string | null }): Row => ({ key: ++last, cidr, note: note ?? '' })

const Warning = ({ check }: { check: AllowlistCheck }) => (
  <Notice kind="warn">
    <div role="alert">
      <strong>{t('Your address {address} would be locked out', { address: check.address })}</strong>{' '}
      {t('of instances and the Account API. The dashboard stays open, so that you can correct the list.')}
    </div>
  </Notice>
)

export function Allowlist({ security: { ip_allowlist: now }, reload }: { security: Security; reload(): Promise<void> }) {
  const [isOn, setOn] = useState(now.enabled)
  const [rows, setRows] = useState<readonly Row[]>(now.entries.map(rowOf))
  const given = rows.filter(({ cidr }) => cidr.trim() !== '')
  const body = { enabled: isOn, entries: given.map(({ cidr, note }) => ({ cidr: cidr.trim(), note: note.trim() || null })) }
  const saved = { enabled: now.enabled, entries: now.entries.map(({ cidr, note }) => ({ cidr, note: note ?? null })) }
  const isChanged = JSON.stringify(body) !== JSON.stringify(saved)
  const check = useLoad(() => ask<AllowlistCheck>('POST', 'api/allowlist/check', body), [JSON.stringify(body)])
  const save = useAction(async () => {
    await answer(api.PUT('/admin/security/ip-allowlist', { body }))
    await reload()
    return t('Saved. It takes effect now.')
  })
  const change = (key: number, part: Partial<Row>) => setRows(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  const wrongOf = (row: Row) =>
    check.data?.invalid.includes(given.indexOf(row)) ? t('This is not an address or a range such as 203.0.113.0/24.') : undefined
  const address = check.data?.address ?? session.value?.address ?? ''
  return (
    <section class="card">
      <header>
        <h2>{t('Addresses that may call')}</h2>
        <p>
          {t(
            'Only these addresses may use instances, the Account API, tools, and this dashboard with an API key. The admin key works from every address.',
          )}
        </p>
      </header>
      <Form class="stack" onSubmit={() => save.run()}>
        <Check label={t('The list is enforced')} value={isOn} onChange={setOn} />
        {rows.map((row, at) => (
          <div class="inline-form" key={row.key}>
            <Line
              label={t('Address or range {n}', { n: at + 1 })}
              value={row.cidr}
              placeholder="203.0.113.0/24"
              wrong={wrongOf(row)}
              onChange={(cidr) => change(row.key, { cidr })}
            />
            <Line
              label={t('Note')}
              value={row.note}
              placeholder={t('office')}
              maxLength={100}
              onChange={(note) => change(row.key, { note })}
            />
            <Button
              look="quiet"
              label={t('Remove address {n}', { n: at + 1 })}
              onPress={() => setRows(rows.filter(({ key }) => key !== row.key))}
            >
              <Icon name="close" size={16} />
            </Button>
          </div>
        ))}
        {rows.length === 0 ? <p class="soft">{t('The list is empty. Add your own address first.')}</p> : null}
        <div class="row">
          <Button onPress={() => setRows([...rows, rowOf({ cidr: '' })])}>{t('Add an address')}</Button>
          {address ? (
            <Button onPress={() => setRows([...rows, rowOf({ cidr: address, note: t('me') })])}>
              {t('Add mine ({address})', { address })}
            </Button>
          ) : null}
        </div>
        {check.data?.locked_out ? <Warning check={check.data} /> : null}
        <Problem of={save.problem} />
        <div class="row">
          <Button look="primary" isBusy={save.isBusy} isDisabled={!isChanged}>
            {check.data?.locked_out ? t('Save anyway') : t('Save')}
          </Button>
        </div>
      </Form>
    </section>
  )
}
