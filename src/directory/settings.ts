import { Failure } from '../domain/failures.ts'
import type { InstanceSettings } from '../domain/instance.ts'
import type { SettingsChange } from './directory.ts'
import { maskUserInfo } from './instance-object.ts'
import type { CheckUrl } from './webhooks.ts'

export function changeSettings(
  current: InstanceSettings,
  change: SettingsChange,
  checkProxy: CheckUrl,
  at = '',
): InstanceSettings {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  const next: InstanceSettings = { ...current, ...Object.fromEntries(given) }
  // A form that shows the masked proxy URL and saves all its values sends the masked URL back. So the masked URL means
  // that the proxy does not change.
  if (current.proxy_url !== null && next.proxy_url === maskUserInfo(current.proxy_url)) next.proxy_url = current.proxy_url
  const refusal = next.proxy_url === null || next.proxy_url === current.proxy_url ? undefined : checkProxy(next.proxy_url)
  if (refusal !== undefined) throw Failure.invalid({ path: `${at}proxy_url`, message: refusal })
  if (next.delay_message_min_ms > next.delay_message_max_ms) {
    const path = change.delay_message_min_ms === undefined ? 'delay_message_max_ms' : 'delay_message_min_ms'
    throw Failure.invalid({
      path: at + path,
      message: `delay_message_min_ms (${next.delay_message_min_ms}) must not be greater than delay_message_max_ms (${next.delay_message_max_ms})`,
    })
  }
  return next
}
