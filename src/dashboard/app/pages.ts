import type { FunctionComponent } from 'preact'
import type { RightName } from '../../domain/dashboard-rights.ts'
import { AccessPage } from '../pages/access/access.tsx'
import { HealthPage } from '../pages/health/health.tsx'
import { InstancesPage } from '../pages/instances/instances.tsx'
import { MessagesPage } from '../pages/messages/messages-page.tsx'
import { MonitorPage } from '../pages/monitor/monitor.tsx'
import { SandboxPage } from '../pages/sandbox/sandbox.tsx'
import { TimelinePage } from '../pages/timeline.tsx'
import { UsagePage } from '../pages/usage/usage.tsx'
import { WebhookLogPage } from '../pages/webhook-log/webhook-log.tsx'
import type { IconName } from '../parts/icon.tsx'
import { t } from '../texts/t.ts'

interface PageRow {
  path: string
  name: string
  icon: IconName
  show: FunctionComponent
  /** Right that the session needs to open the page. If absent, every session may open it. */
  needs?: RightName
  isSandbox?: boolean
}

export const PAGES: readonly PageRow[] = [
  { path: 'instances', name: t('Instances'), icon: 'instances', show: InstancesPage },
  { path: 'messages', name: t('Messages'), icon: 'messages', show: MessagesPage, needs: 'messages.see' },
  { path: 'timeline', name: t('Message timeline'), icon: 'timeline', show: TimelinePage },
  { path: 'events', name: t('Live events'), icon: 'events', show: MonitorPage, needs: 'events.watch' },
  { path: 'webhook-log', name: t('Webhook log'), icon: 'log', show: WebhookLogPage, needs: 'log.see' },
  { path: 'usage', name: t('Usage'), icon: 'usage', show: UsagePage },
  { path: 'access', name: t('Keys and access'), icon: 'access', show: AccessPage },
  { path: 'health', name: t('Health'), icon: 'health', show: HealthPage, needs: 'health.see' },
  { path: 'sandbox', name: t('Sandbox'), icon: 'sandbox', show: SandboxPage, needs: 'sandbox.use', isSandbox: true },
]
