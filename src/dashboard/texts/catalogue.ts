/** All texts of the page, with their translations. Each text is in exactly one area. */
import { ACCESS } from './areas/access.ts'
import type { Translations } from './areas/area.ts'
import { COMMON } from './areas/common.ts'
import { FIELDS } from './areas/fields.ts'
import { FRAME } from './areas/frame.ts'
import { HEALTH } from './areas/health.ts'
import { INSTANCE } from './areas/instance.ts'
import { INSTANCES } from './areas/instances.ts'
import { KINDS } from './areas/kinds.ts'
import { LOG } from './areas/log.ts'
import { MESSAGES } from './areas/messages.ts'
import { MOVING } from './areas/moving.ts'
import { PAIRING } from './areas/pairing.ts'
import { PROBLEMS } from './areas/problems.ts'
import { SANDBOX } from './areas/sandbox.ts'
import { SERVICE } from './areas/service.ts'
import { WEBHOOKS } from './areas/webhooks.ts'

export type { Translations } from './areas/area.ts'

/** Areas of texts. They are listed separately, because a test checks that no text is in two of them. */
export const AREAS = {
  ACCESS,
  COMMON,
  FIELDS,
  FRAME,
  HEALTH,
  INSTANCE,
  INSTANCES,
  KINDS,
  LOG,
  MESSAGES,
  MOVING,
  PAIRING,
  PROBLEMS,
  SANDBOX,
  SERVICE,
  WEBHOOKS,
} as const

export const CATALOGUE = {
  ...ACCESS,
  ...COMMON,
  ...FIELDS,
  ...FRAME,
  ...HEALTH,
  ...INSTANCE,
  ...INSTANCES,
  ...KINDS,
  ...LOG,
  ...MESSAGES,
  ...MOVING,
  ...PAIRING,
  ...PROBLEMS,
  ...SANDBOX,
  ...SERVICE,
  ...WEBHOOKS,
} as const satisfies Readonly<Record<string, Translations>>

export type Text = keyof typeof CATALOGUE
