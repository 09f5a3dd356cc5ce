/** Translates `interactiveMessage`: buttons, lists, carousels and payment cards. */
import type { proto } from '@whiskeysockets/baileys'
import { cutOrEmpty, cutOrNull } from '../../wire/bounds.ts'
import { jsonObject } from '../../wire/json.ts'
import { flowButtons, headerUrls, MAX_CARDS } from './buttons.ts'
import { block, type Family, type Scene, type Translated } from './family.ts'
import { flowList } from './list.ts'
import { pixKey, reviewAndPay, reviewOrder } from './payment-card.ts'
import { placeOf } from './place.ts'

/**
 * Translators of payment cards, by the name of the button. Senders choose the name, so this is a Map: in an object, the
 * name `constructor` would be found.
 */
const CARDS = new Map([
  ['payment_info', pixKey],
  ['review_and_pay', reviewAndPay],
  ['order_details', reviewAndPay],
  ['review_order', reviewOrder],
  ['order_status', reviewOrder],
])

// Old clients put these messages into a view-once wrapper, but they are not view once.
const COMMON = { view_once: false }

export const interactive: Family = ({ message }, scene) => {
  const found = message.interactiveMessage
  if (!found) return null
  return structured(found, scene) ?? (isEmpty(found) ? null : block('buttons', framed(found, scene), COMMON))
}

/**
 * Translates a template with an interactive message. If it contains a carousel, a payment card or a list, only this
 * content is reported, because its event has more information.
 */
export const interactiveTemplate: Family = ({ message }, scene) => {
  const { interactiveMessageTemplate: found, templateId } = message.templateMessage ?? {}
  if (!found) return null
  const template = { template_id: cutOrNull(templateId, 128), location: placeOf(found.header?.locationMessage) }
  return structured(found, scene) ?? block('hydrated_template', { ...framed(found, scene), ...template }, COMMON)
}

function structured(found: proto.Message.IInteractiveMessage, scene: Scene): Translated | null {
  const cards = found.carouselMessage?.cards
  if (cards) return block('carousel', carousel(found, cards, scene), COMMON)
  for (const { name, buttonParamsJson } of found.nativeFlowMessage?.buttons ?? []) {
    const translated = CARDS.get(name ?? '')?.(jsonObject(buttonParamsJson))
    if (translated) return { ...translated, common: COMMON }
  }
  const list = flowList(found)
  return list && { ...list, common: COMMON }
}

/**
 * Returns the texts, the media and the buttons of a message. Messages of shops and collections get no buttons here,
 * because the apps add a button of their own.
 */
const framed = ({ header, body, footer, nativeFlowMessage }: proto.Message.IInteractiveMessage, scene: Scene) => ({
  message: cutOrEmpty(body?.text, 4_096),
  title: cutOrNull(header?.title, 256),
  footer: cutOrNull(footer?.text, 256),
  ...headerUrls(header, scene, false),
  buttons: flowButtons(nativeFlowMessage),
})

const isEmpty = (found: proto.Message.IInteractiveMessage) =>
  !Object.entries(found).some(([field, value]) => field !== 'contextInfo' && value)

function carousel(
  { body }: proto.Message.IInteractiveMessage,
  cards: readonly proto.Message.IInteractiveMessage[],
  scene: Scene,
) {
  return {
    message: cutOrEmpty(body?.text, 4_096),
    cards: cards.slice(0, MAX_CARDS).map((card) => {
      const { image_url, video_url } = headerUrls(card.header, scene, false)
      return {
        title: cutOrNull(card.header?.title, 256),
        text: cutOrNull(card.body?.text, 4_096),
        footer: cutOrNull(card.footer?.text, 256),
        image_url,
        video_url,
        buttons: flowButtons(card.nativeFlowMessage),
      }
    }),
  }
}
