import type { proto } from '@whiskeysockets/baileys'
import type { ReceivedButton } from '../../../../src/features/received/commerce.ts'
import { cut, cutOrEmpty, cutOrNull } from '../../wire/bounds.ts'
import { jsonObject, textOf } from '../../wire/json.ts'
import type { Content } from './content.ts'
import { block, type Family, type Scene } from './family.ts'
import { fileUrl } from './media.ts'
import { placeOf } from './place.ts'

const MAX_BUTTONS = 10
export const MAX_CARDS = 10
const COPY_LINK = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code='

const labelOf = (text: string | null | undefined) => cutOrEmpty(text, 60)
const idOf = (id: string | null | undefined, position: number) => cut(id || String(position), 256)

function link(id: string, label: string, url: string | null | undefined): ReceivedButton {
  if (url?.startsWith(COPY_LINK)) {
    const code = new URLSearchParams(url.slice(url.indexOf('?'))).get('code') ?? ''
    return { id, type: 'copy', label, code: cut(code.replace(/^otp/, ''), 1_024) }
  }
  return { id, type: 'url', label, url: cutOrEmpty(url, 2_048) }
}

const call = (id: string, label: string, phone: string | null | undefined): ReceivedButton => ({
  id,
  type: 'call',
  label,
  phone: (phone ?? '').replace(/\D/g, '').slice(0, 20),
})

export function flowButtons(flow: proto.Message.InteractiveMessage.INativeFlowMessage | null | undefined): ReceivedButton[] {
  return (flow?.buttons ?? []).slice(0, MAX_BUTTONS).flatMap(({ name, buttonParamsJson }, index): ReceivedButton[] => {
    const params = jsonObject(buttonParamsJson)
    const id = idOf(textOf(params.id), index + 1)
    const label = labelOf(textOf(params.display_text))
    switch (name) {
      case 'quick_reply':
        return [{ id, type: 'reply', label }]
      case 'cta_url':
        return [link(id, label, textOf(params.url))]
      case 'cta_call':
        return [call(id, label, textOf(params.phone_number))]
      case 'cta_copy':
        return [{ id, type: 'copy', label, code: cutOrEmpty(textOf(params.copy_code), 1_024) }]
      default:
        return []
    }
  })
}

export function buttonIds({ interactiveMessage, templateMessage }: Content): ReadonlySet<string> {
  const shown = interactiveMessage ?? templateMessage?.interactiveMessageTemplate
  const flows = [shown, ...(shown?.carouselMessage?.cards ?? []).slice(0, MAX_CARDS)]
  return new Set(flows.flatMap((flow) => flowButtons(flow?.nativeFlowMessage).map(({ id }) => id)))
}

function templateButtons(buttons: readonly proto.IHydratedTemplateButton[] | null | undefined): ReceivedButton[] {
  return (buttons ?? []).slice(0, MAX_BUTTONS).flatMap((button, position): ReceivedButton[] => {
    const id = String(button.index ?? position)
    const { quickReplyButton: reply, urlButton, callButton } = button
    if (reply) return [{ id: cut(reply.id || id, 256), type: 'reply', label: labelOf(reply.displayText) }]
    if (urlButton) return [link(id, labelOf(urlButton.displayText), urlButton.url)]
    if (callButton) return [call(id, labelOf(callButton.displayText), callButton.phoneNumber)]
    return []
  })
}

type Header = Pick<proto.Message.InteractiveMessage.IHeader, 'imageMessage' | 'videoMessage' | 'documentMessage'>

export const headerUrls = (header: Header | null | undefined, scene: Scene, viewOnce: boolean) => ({
  image_url: fileUrl('image', header?.imageMessage, scene, viewOnce),
  video_url: fileUrl('video', header?.videoMessage, scene, viewOnce),
  document_url: fileUrl('document', header?.documentMessage, scene, viewOnce),
})

/**
 * Translates messages with buttons of old clients. These clients put such a message into a view-once wrapper, but it is
 * not view once.
 */
export const legacyButtons: Family = ({ message }, scene) => {
  const found = message.buttonsMessage
  if (!found) return null
  return block(
    'buttons',
    {
      message: cutOrEmpty(found.contentText, 4_096),
      title: cutOrNull(found.text, 256),
      footer: cutOrNull(found.footerText, 256),
      ...headerUrls(found, scene, false),
      buttons: (found.buttons ?? []).slice(0, MAX_BUTTONS).map(({ buttonId, buttonText }, index) => ({
        id: idOf(buttonId, index + 1),
        type: 'reply',
        label: labelOf(buttonText?.displayText),
      })),
    },
    { view_once: false },
  )
}

export const template: Family = ({ message }, scene) => {
  const outer = message.templateMessage ?? message.highlyStructuredMessage?.hydratedHsm
  const found = outer?.hydratedTemplate ?? outer?.hydratedFourRowTemplate
  if (!outer || !found) return null
  return block(
    'hydrated_template',
    {
      message: cutOrEmpty(found.hydratedContentText, 4_096),
      title: cutOrNull(found.hydratedTitleText, 256),
      footer: cutOrNull(found.hydratedFooterText, 256),
      template_id: cutOrNull(found.templateId || outer.templateId, 128),
      ...headerUrls(found, scene, false),
      location: placeOf(found.locationMessage),
      buttons: templateButtons(found.hydratedButtons),
    },
    { view_once: false },
  )
}
