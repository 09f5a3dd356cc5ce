import { proto } from '@whiskeysockets/baileys'
import type { Button } from '../../../../src/features/send/buttons.ts'
import { actionButton, flow, type HeaderMedia, type Interactive, parts } from './native-flow.ts'

export interface Card {
  text: string
  title?: string | undefined
  footer?: string | undefined
  buttons: readonly Button[]
  media: HeaderMedia
}

const { HSCROLL_CARDS } = proto.Message.InteractiveMessage.CarouselMessage.CarouselCardType

export const carousel = (text: string, cards: readonly Card[]): Interactive => ({
  body: { text },
  carouselMessage: {
    cards: cards.map(({ buttons, ...card }) => ({ ...parts(card), nativeFlowMessage: flow(buttons.map(actionButton)) })),
    messageVersion: 1,
    carouselCardType: HSCROLL_CARDS,
  },
})
