/** The rights of the session's key, for buttons and pages. The service checks every request again. */
import { lackOf, type RightName } from '../../domain/dashboard-rights.ts'
import { t } from '../texts/t.ts'
import { session } from './session.ts'

/** Returns why the session may not do something; undefined if it may. */
export function whyNot(right: RightName | undefined): string | undefined {
  if (right === undefined) return undefined
  const lack = lackOf(session.value?.key?.scopes ?? null, right)
  if (lack === undefined) return undefined
  return lack === 'admin key' ? t('Only the admin key may do this.') : t('The API key lacks the scope {scope}.', { scope: lack })
}
