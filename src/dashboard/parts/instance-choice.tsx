import { instanceChoices } from '../../domain/instance-choices.ts'
import { rows } from '../api/live.ts'
import { route, to } from '../app/route.ts'
import { t } from '../texts/t.ts'
import { Field } from './field.tsx'
import { Empty } from './notice.tsx'
import { SearchedChoice } from './searched-choice.tsx'

/**
 * Returns the id in the address of the page. If there is none, returns the id of the first instance, or an empty text
 * if there are no instances.
 */
export const chosenInstance = (): string =>
  route.value.query.get('instance') ?? instanceChoices(rows.value.values())[0]?.[0] ?? ''

interface InstanceChoiceProps {
  value: string
  none?: string
  onChange(id: string): void
}

export const InstanceChoice = ({ value, none, onChange }: InstanceChoiceProps) => (
  <Field label={t('Instance')}>
    {(tied) => (
      <SearchedChoice
        label={t('Instance')}
        tied={tied}
        value={value}
        options={instanceChoices(rows.value.values())}
        onChange={onChange}
        {...(none === undefined ? {} : { none })}
      />
    )}
  </Field>
)

export const NoInstances = () => (
  <section class="card">
    <Empty title={t('No instances yet')} actions={<a href={to(['instances'])}>{t('Instances')}</a>}>
      {t('Create an instance and pair it with a phone first.')}
    </Empty>
  </section>
)
