/**
 * Operations on the queue of messages that wait to be sent, and on the budgets of send safety. Both belong to the
 * service, so the operations work in every state of the instance.
 */
import { z } from 'zod'
import type { SafetyReason } from '../domain/send-safety.ts'
import { WAITING_REASONS } from '../domain/waiting-reason.ts'
import { control } from './endpoint.ts'
import { chat, instant, paged, paging, ulid } from './fields.ts'

const anyChat = chat('user', 'group', 'newsletter', 'broadcast', 'status')
  .optional()
  .meta({ description: 'Only items to this chat.' })

export const QueueItem = z
  .object({
    svc_id: z.string(),
    message_id: z.string(),
    phone: z.string(),
    operation: z.string().meta({ description: '`operationId` of the call that created the item.' }),
    status: z.enum(['waiting', 'processing']),
    waiting_reason: z
      .enum(WAITING_REASONS)
      .nullable()
      .meta({
        description:
          'Reason why the item waits; null while `processing`. `restricted` means that the network currently restricts the account, `send_at` that the ' +
          'time of the request has not come. `first_contact_budget`, `quiet_hours` and `unanswered` are reasons of send safety.',
      }),
    position: z.int().meta({ description: '1 is next.' }),
    preview: z.string().nullable().meta({ description: 'The first 120 characters of the text or caption.' }),
    delay_message: z.int().nullable().meta({ description: 'Delay in seconds, as requested.' }),
    delay_typing: z.int().meta({ description: 'Seconds.' }),
    queued_at: instant,
    send_at: instant
      .nullable()
      .meta({ description: 'Time of the request before which the item is not sent; null if there is none.' }),
    send_after: instant.nullable().meta({
      description:
        'Earliest time at which the item is sent. While the instance is not connected, it is null unless the item waits for its `send_at`. All items that wait ' +
        'for a budget show the time of its next free place, which only the first of them gets.',
    }),
    expires_at: instant.meta({
      description:
        '`queue_max_age_hours` after `send_at`, or after `queued_at` if there was no `send_at` or it had passed. Time in which the item waits for a budget or ' +
        'for the end of quiet hours, or in which the instance is paused, is added.',
    }),
  })
  .meta({ id: 'QueueItem' })

const Removed = z.object({ value: z.literal(true), removed: z.int() })

export const list = control('queue.list', 'GET /queue', {
  summary: 'List the messages that wait to be sent',
  input: { ...paging({ default: 20, max: 100 }), phone: anyChat },
  reply: paged(QueueItem),
  errors: ['invalid_request', 'invalid_phone'],
  examples: [
    {
      name: 'of one chat',
      input: { page: '1', page_size: '20', phone: '5511988887777' },
      reply: {
        data: [
          {
            svc_id: '01JK3V8Q2M6T0Z4R7Y9B1C5D8F',
            message_id: '3EB0A1B2C3D4E5F60718',
            phone: '5511988887777',
            operation: 'send.sendText',
            status: 'waiting',
            waiting_reason: 'instance_not_connected',
            position: 1,
            preview: 'Your order left our warehouse.',
            delay_message: null,
            delay_typing: 0,
            queued_at: '2026-01-31T12:00:00.000Z',
            send_at: null,
            send_after: null,
            expires_at: '2026-02-03T12:00:00.000Z',
          },
        ],
        page: 1,
        page_size: 20,
        total: 1,
      },
    },
  ],
})

export const clear = control('queue.clear', 'DELETE /queue', {
  summary: 'Remove every waiting message',
  description: 'The message in flight is not removed. Removed messages create no `delivery` event.',
  input: { phone: anyChat },
  reply: Removed,
  errors: ['invalid_request', 'invalid_phone'],
  examples: [{ name: 'everything', input: {}, reply: { value: true, removed: 12 } }],
})

export const remove = control('queue.remove', 'DELETE /queue/{svc_id}', {
  summary: 'Remove one waiting message',
  description: 'Answers `not_found` if the message is unknown, already sent, or in flight.',
  input: { svc_id: ulid.meta({ description: 'The `svc_id` of the queue item, from the acknowledgement.' }) },
  reply: Removed,
  errors: ['invalid_request', 'not_found'],
  examples: [{ name: 'one', input: { svc_id: '01JK3V8Q2M6T0Z4R7Y9B1C5D8F' }, reply: { value: true, removed: 1 } }],
})

const Budget = z
  .object({
    used: z.int().meta({ description: 'Number of first contacts in the window that ends now.' }),
    limit: z.int().meta({ description: 'The most first contacts in the window.' }),
    free_at: instant.nullable().meta({
      description: 'Time of the next first contact while the budget is used up; null if one is possible now, or never.',
    }),
  })
  .meta({ id: 'FirstContactBudget' })

export const sendSafety = control('queue.sendSafety', 'GET /send-safety', {
  summary: 'Read the use of the budgets of send safety',
  description:
    'The settings `first_contacts_per_hour`, `first_contacts_per_day`, `first_contacts_warm_up`, `quiet_hours` and `pause_after_unanswered` hold messages ' +
    'in the queue. This says how much of them is used. A first contact is the first message between the account and a person; groups, channels and ' +
    'the status are none.',
  reply: z.object({
    hour: Budget.nullable().meta({ description: 'Budget of the last 60 minutes; null if there is no limit.' }),
    day: Budget.nullable().meta({
      description: 'Budget of the last 24 hours, including the warm-up; null if there is no limit.',
    }),
    linked_at: instant
      .nullable()
      .meta({ description: 'Time of the link, from which the warm-up counts; null while it is unknown.' }),
    quiet_until: instant.nullable().meta({ description: 'End of the current quiet hours; null outside of them.' }),
    waiting: z
      .object({ first_contact_budget: z.int(), quiet_hours: z.int(), unanswered: z.int() } satisfies Record<
        SafetyReason,
        z.ZodType
      >)
      .meta({ description: 'Number of messages in the queue that wait for each reason; 0 while the instance is not connected.' }),
  }),
  examples: [
    {
      name: 'a new number that has used its day',
      reply: {
        hour: { used: 2, limit: 10, free_at: null },
        day: { used: 20, limit: 20, free_at: '2026-01-31T18:20:00.000Z' },
        linked_at: '2026-01-29T12:00:00.000Z',
        quiet_until: null,
        waiting: { first_contact_budget: 14, quiet_hours: 0, unanswered: 1 },
      },
    },
  ],
})
