import type { proto, WAUrlInfo } from '@whiskeysockets/baileys'

export const textMessage = (text: string, card: WAUrlInfo | null): proto.IMessage =>
  card
    ? {
        extendedTextMessage: {
          text,
          matchedText: card['matched-text'],
          title: card.title,
          description: card.description ?? null,
        },
      }
    : { conversation: text }
