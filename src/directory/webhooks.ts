/**
 * Applies changes of the webhooks object. A change may contain one URL for all types, or field names of older
 * integrations.
 */
import { Failure, type Issue } from '../domain/failures.ts'
import { WEBHOOK_URLS, type WebhookSettings } from '../domain/instance.ts'

type Own = Omit<WebhookSettings, 'secret'>

export type WebhooksChange = { [K in keyof Own]?: Own[K] | undefined } & {
  single_url?: string | null | undefined
  connected_url?: string | null | undefined
  disconnected_url?: string | null | undefined
  ignore_connected_callback?: boolean | undefined
  ignore_disconnected_callback?: boolean | undefined
}

/** Returns why a URL is refused, as the end of a sentence; undefined if the URL is allowed. */
export type CheckUrl = (url: string) => string | undefined

function own(change: WebhooksChange, issues: Issue[]): { [K in keyof Own]?: Own[K] | undefined } {
  const { single_url, connected_url, disconnected_url, ignore_connected_callback, ignore_disconnected_callback, ...rest } = change
  const result = { ...rest }
  const replaced = connected_url !== undefined ? connected_url : disconnected_url
  if (replaced !== undefined && result.instance_status_url === undefined) result.instance_status_url = replaced
  if (ignore_connected_callback !== undefined || ignore_disconnected_callback !== undefined)
    result.ignore_instance_status_callback ??= ignore_connected_callback === true && ignore_disconnected_callback === true
  if (single_url === undefined) return result
  for (const field of WEBHOOK_URLS) {
    if (result[field] !== undefined) issues.push({ path: 'single_url', message: `cannot be given together with ${field}` })
    result[field] = single_url
  }
  return result
}

/**
 * Returns the changed webhooks. Throws `invalid_request` if the result would break a rule. The error names each field,
 * with `at` before the name.
 */
export function changeWebhooks(current: WebhookSettings, change: WebhooksChange, checkUrl: CheckUrl, at = ''): WebhookSettings {
  const issues: Issue[] = []
  const given = Object.entries(own(change, issues)).filter(([, value]) => value !== undefined)
  const next: WebhookSettings = { ...current, ...Object.fromEntries(given) }
  if (next.ignore_groups && next.ignore_private) {
    const [path, other] = change.ignore_private
      ? (['ignore_private', 'ignore_groups'] as const)
      : (['ignore_groups', 'ignore_private'] as const)
    issues.push({ path, message: `cannot be true together with ${other}` })
  }
  for (const [name, value] of Object.entries(change)) {
    if (!name.endsWith('_url') || typeof value !== 'string') continue
    const refusal = checkUrl(value)
    if (refusal !== undefined) issues.push({ path: name, message: refusal })
  }
  if (issues.length > 0) throw Failure.invalid(...issues.map(({ path, message }) => ({ path: at + path, message })))
  return next
}
