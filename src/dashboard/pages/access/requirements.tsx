import { answer, api } from '../../api/client.ts'
import { useAction, useLoad } from '../../app/load.ts'
import { Check } from '../../parts/field.tsx'
import { Problem, Skeleton } from '../../parts/notice.tsx'
import { t } from '../../texts/t.ts'
import { Allowlist } from './allowlist.tsx'
import { loadSecurity } from './security.ts'

export function RequirementsTab() {
  const { data, problem, reload } = useLoad(loadSecurity, [])
  const change = useAction(
    async (path: '/admin/security/require-api-key' | '/admin/security/require-client-token', value: boolean) => {
      await answer(api.PUT(path, { body: { value } })).finally(reload)
      return t('Saved. It takes effect now.')
    },
  )
  if (!data) return problem ? <Problem of={problem} again={reload} /> : <Skeleton />
  return (
    <div class="columns">
      <section class="card">
        <header>
          <h2>{t('Credentials that callers of an instance must send')}</h2>
          <p>
            {t('These come in addition to the token in the address. Keys of this workspace that may operate instances: {n}.', {
              n: data.operate_keys,
            })}
          </p>
        </header>
        <Check
          label={t('An API key')}
          hint={t('The key goes in Authorization: Bearer and needs the scope instances:operate.')}
          value={data.require_api_key}
          isDisabled={change.isBusy}
          onChange={(value) => change.run('/admin/security/require-api-key', value)}
        />
        <Check
          label={t('A client token')}
          hint={t('The header Client-Token holds an API key or the imported token.')}
          value={data.require_client_token}
          isDisabled={change.isBusy}
          onChange={(value) => change.run('/admin/security/require-client-token', value)}
        />
        <Problem of={change.problem} />
      </section>
      <Allowlist security={data} reload={reload} />
    </div>
  )
}
