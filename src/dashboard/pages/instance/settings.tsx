import { answer, api, of } from '../../api/client.ts'
import { fieldsOf, pick, SchemaForm, type Values } from '../../parts/schema-form.tsx'
import { t } from '../../texts/t.ts'
import { isOfSafety, Safety } from './safety.tsx'
import type { TabProps } from './tab.ts'

const FIELDS = fieldsOf('instance.updateSettings')

export function SettingsTab({ row, instance }: TabProps) {
  const save = async (body: Values) => {
    await answer(api.PUT('/instances/{instance_id}/token/{token}/settings', { params: { path: of(row.id) }, body }))
    await instance.reload()
    return t('Saved.')
  }
  const values = instance.data.settings as Values
  return (
    <div class="columns">
      <section class="card">
        <header>
          <h2>{t('Settings')}</h2>
          <p>{t('Settings apply from the next message on; the instance need not be connected.')}</p>
        </header>
        <SchemaForm
          fields={pick(FIELDS, (name) => name !== 'proxy_url' && !isOfSafety(name))}
          values={values}
          save={save}
          does={t('Save the settings')}
          needs="instances.change"
        />
      </section>
      <Safety row={row} instance={instance} save={save} />
      <section class="card">
        <header>
          <h2>{t('Proxy')}</h2>
          <p>
            {t(
              'Proxy through which this instance reaches the network, for its session and its files. Its password is never shown again.',
            )}
          </p>
        </header>
        <SchemaForm
          fields={pick(FIELDS, (name) => name === 'proxy_url')}
          values={values}
          save={save}
          does={t('Save the proxy')}
          needs="instances.change"
        />
      </section>
    </div>
  )
}
