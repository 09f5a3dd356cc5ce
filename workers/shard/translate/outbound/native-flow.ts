/**
 * Builds interactive messages, and the nodes that their stanzas need in addition to the ciphertexts. Without the node
 * `biz` no client shows the message.
 */
import { type BinaryNode, proto } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import type { Button } from '../../../../src/features/send/buttons.ts'
import type { ChatKind } from '../../wire/jid.ts'
import { bizBotNode, mixedBizNode, payBizNode } from '../../wire/message-nodes.ts'

export type Interactive = proto.Message.IInteractiveMessage
export type FlowButton = proto.Message.InteractiveMessage.NativeFlowMessage.INativeFlowButton
export type HeaderMedia = Pick<proto.Message.InteractiveMessage.IHeader, 'imageMessage' | 'videoMessage'>

export const envelope = (interactiveMessage: Interactive): proto.IMessage =>
  proto.Message.fromObject({
    messageContextInfo: { deviceListMetadata: {}, deviceListMetadataVersion: 2 },
    interactiveMessage,
  })

export const flowButton = (name: string, params: Record<string, unknown>): FlowButton => ({
  name,
  buttonParamsJson: JSON.stringify(params),
})

export const flow = (buttons: FlowButton[]): proto.Message.InteractiveMessage.INativeFlowMessage => ({
  buttons,
  messageParamsJson: '',
  messageVersion: 1,
})

interface Parts {
  text: string
  title?: string | undefined
  footer?: string | undefined
  media?: HeaderMedia | undefined
}

export const parts = ({ text, title, footer, media }: Parts): Interactive => ({
  header: { title: title ?? '', hasMediaAttachment: media !== undefined, ...media },
  body: { text },
  ...(footer === undefined ? {} : { footer: { text: footer } }),
})

const COPY_LINK = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code='

export function actionButton(button: Button): FlowButton {
  const { id, label: display_text } = button
  switch (button.type) {
    case 'reply':
      return flowButton('quick_reply', { display_text, id })
    case 'url': {
      const code = button.url.startsWith(COPY_LINK) ? new URL(button.url).searchParams.get('code') : null
      if (code) return copyButton(id, display_text, code)
      return flowButton('cta_url', { display_text, url: button.url, merchant_url: button.url })
    }
    case 'call':
      return flowButton('cta_call', { display_text, phone_number: `+${button.phone}` })
    case 'copy':
      return copyButton(id, display_text, button.code)
    default:
      return button satisfies never
  }
}

export const copyButton = (id: string, display_text: string, copy_code: string): FlowButton =>
  flowButton('cta_copy', { display_text, id, copy_code })

export interface Options {
  title: string
  button_label: string
  options: readonly { id: string; title: string; description?: string | undefined }[]
}

export const listButton = ({ title, button_label, options }: Options): FlowButton =>
  flowButton('single_select', {
    title: button_label,
    sections: [{ title, rows: options.map(({ id, title, description }) => ({ title, description: description ?? '', id })) }],
  })

/** Returns the nodes for a message with buttons: `biz`, and in 1:1 chats also `bot`. */
export const mixedNodes = ({ kind }: { kind: ChatKind }, nowMs: number): BinaryNode[] => [
  mixedBizNode(Math.floor(nowMs / SECOND)),
  ...(kind === 'user' ? [bizBotNode()] : []),
]

export const payNodes = (name: Parameters<typeof payBizNode>[0]): BinaryNode[] => [payBizNode(name)]
