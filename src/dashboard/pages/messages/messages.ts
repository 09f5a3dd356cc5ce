import type { MessageList, MessageRow, WebhookBody } from '../../../domain/dashboard.ts'
import { ask, query } from '../../api/client.ts'

const pathOf = (instance: string) => `api/instances/${encodeURIComponent(instance)}/messages`

export const loadMessages = (instance: string, chat: string | undefined, limit: number) =>
  ask<MessageList>('GET', pathOf(instance) + query({ chat, limit }))

export const loadBody = (instance: string, message_id: string) =>
  ask<WebhookBody>('POST', `${pathOf(instance)}/body`, { message_id })

export function isOf({ phone, chat_name, participant, participant_name }: MessageRow, text: string): boolean {
  const sought = text.trim().toLowerCase()
  const digits = sought.replace(/[\s()+-]/g, '')
  const names = [chat_name, participant_name].map((name) => name?.toLowerCase())
  return (
    names.some((name) => name?.includes(sought)) || (digits !== '' && [phone, participant].some((id) => id?.includes(digits)))
  )
}
