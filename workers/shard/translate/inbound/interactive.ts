/** `interactiveMessage`: one protobuf for buttons, lists, carousels and the payment cards; the names of its flows decide. */
import type { proto } from '@whiskeysockets/baileys'
import { cutOrEmpty, cutOrNull } from '../../wire/bounds.ts'
import { jsonObject } from '../../wire/json.ts'
import { flowButtons, headerUrls } from './buttons.ts'
import { block, type Family, type Scene, type Translated } from './family.ts'
import { flowList } from './list.ts'
import { pixKey, reviewAndPay, reviewOrder } from './payment-card.ts'

const MAX_CARDS = 10

/** Cards of payment flows: their content is in the parameters of their one button. */
const CARDS: Readonly<Record<string, (params: ReturnType<typeof jsonObject>) => Translated | null>> = {
  payment_info: pixKey,
  review_and_pay: reviewAndPay,
  order_details: reviewAndPay,
  review_order: reviewOrder,
  order_status: reviewOrder,
}

export const interactive: Family = ({ message }, scene) => {
  const found = message.interactiveMessage ?? message.templateMessage?.interactiveMessageTemplate
  return found ? translateInteractive(found, scene) : null
}

function translateInteractive(found: proto.Message.IInteractiveMessage, scene: Scene): Translated | null {
  // Old clients draw these inside a view-once wrapper, which does not make them view-once.
  const common = { view_once: false }
  const cards = found.carouselMessage?.cards
  if (cards) return block('carousel', carousel(found, cards, scene), common)
  for (const { name, buttonParamsJson } of found.nativeFlowMessage?.buttons ?? []) {
    const translated = CARDS[name ?? '']?.(jsonObject(buttonParamsJson))
    if (translated) return { ...translated, common }
  }
  const list = flowList(found)
  if (list) return { ...list, common }
  if (!found.nativeFlowMessage) return null
  return block(
    'buttons',
    {
      message: cutOrEmpty(found.body?.text, 4_096),
      title: cutOrNull(found.header?.title, 256),
      footer: cutOrNull(found.footer?.text, 256),
      ...headerUrls(found.header, scene, false),
      buttons: flowButtons(found.nativeFlowMessage),
    },
    common,
  )
}

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
