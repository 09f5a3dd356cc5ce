import { Failure } from '../../../../src/domain/failures.ts'
import { pixKey } from '../../../../src/domain/pix.ts'
import { headerMedia, headerPicture } from '../../send/compose/header-media.ts'
import { sendInteractive } from '../../send/compose/interactive.ts'
import { type Card, carousel } from '../../translate/outbound/carousel.ts'
import { actionButton, copyButton, flow, listButton, parts, payNodes } from '../../translate/outbound/native-flow.ts'
import { pixCard } from '../../translate/outbound/payment.ts'
import type { Handlers } from '../types.ts'

export const interactive: Handlers<typeof import('../../../../src/features/send/interactive.ts')> = {
  async 'send.sendButtonList'(context, input) {
    const { title, footer, button_list } = input
    const buttons = button_list.buttons.map((button) => actionButton({ type: 'reply', ...button }))
    return sendInteractive(context, input, {
      text: input.message,
      async compose(text, to) {
        const media = await headerMedia(context, to, button_list)
        return { ...parts({ text, title: media ? undefined : title, footer, media }), nativeFlowMessage: flow(buttons) }
      },
    })
  },

  async 'send.sendButtons'(context, input) {
    const { title, footer, button_actions } = input
    return sendInteractive(context, input, {
      text: input.message,
      compose: (text) => ({ ...parts({ text, title, footer }), nativeFlowMessage: flow(button_actions.map(actionButton)) }),
    })
  },

  async 'send.sendButtonOtp'(context, input) {
    const button = copyButton('1', input.button_text, input.code)
    return sendInteractive(context, input, {
      text: input.message,
      async compose(text, to) {
        const media = await headerMedia(context, to, input)
        return { ...parts({ text, media }), nativeFlowMessage: flow([button]) }
      },
    })
  },

  async 'send.sendButtonPix'(context, input) {
    const { type, pix_key, merchant_name: name } = input
    const key = pixKey(type, pix_key)
    if (key === undefined) throw Failure.invalid({ path: 'pix_key', message: `is not a valid key of the type ${type}` })
    return sendInteractive(context, input, {
      compose: () => pixCard(context.item.messageId, { key, type, name }),
      nodes: payNodes('payment_info'),
    })
  },

  async 'send.sendOptionList'(context, input) {
    const { footer, option_list } = input
    return sendInteractive(context, input, {
      text: input.message,
      compose: (text) => ({ ...parts({ text, footer }), nativeFlowMessage: flow([listButton(option_list)]) }),
    })
  },

  async 'send.sendCarousel'(context, input) {
    return sendInteractive(context, input, {
      text: input.message,
      async compose(text, to) {
        const cards: Card[] = []
        // The cards are prepared one after another. If all were prepared at the same time, all pictures would be in
        // memory.
        for (const { image, ...card } of input.carousel) cards.push({ ...card, media: await headerPicture(context, to, image) })
        return carousel(text, cards)
      },
    })
  },
}
