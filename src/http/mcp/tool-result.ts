import type { Failure } from '../../domain/failures.ts'

type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string }

export interface ToolResult {
  content: Content[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  [key: string]: unknown
}

const PNG_URL = /^data:(image\/png);base64,(.*)$/s

function base64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

const asText = (value: unknown): Content => ({ type: 'text', text: JSON.stringify(value) })

/**
 * Removes the instance's token, also in a URL, and the webhook secret. An agent must not get credentials that are valid
 * for longer than its own.
 */
function withoutCredentials({ token: _, api_url: __, webhooks, ...instance }: Record<string, unknown>): Record<string, unknown> {
  const { secret: ___, ...rest } = webhooks as Record<string, unknown>
  return { ...instance, webhooks: rest }
}

function qrCode({ value, ...rest }: Record<string, unknown>): ToolResult {
  const [, mimeType, data] = PNG_URL.exec(String(value)) ?? []
  const picture: Content[] = mimeType !== undefined && data !== undefined ? [{ type: 'image', data, mimeType }] : []
  return { content: [...picture, asText(rest)], structuredContent: rest }
}

export async function resultOf(operation: string, reply: unknown): Promise<ToolResult> {
  if (reply instanceof Response) return { content: [{ type: 'text', text: await reply.text() }] }
  if (reply instanceof Uint8Array) return { content: [{ type: 'image', data: base64(reply), mimeType: 'image/png' }] }
  const answer = reply as Record<string, unknown>
  if (operation === 'instance.qrCode') return qrCode(answer)
  const shown = operation === 'instance.me' ? withoutCredentials(answer) : answer
  return { content: [asText(shown)], structuredContent: shown }
}

export function failureResult(failure: Failure): ToolResult {
  const { code, message, details } = failure.toData()
  return { content: [asText({ error: { code, message, details: details ?? {} } })], isError: true }
}
