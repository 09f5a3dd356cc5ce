/** Builds the text message for posts and edits, with a preview card if there is one. */
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
