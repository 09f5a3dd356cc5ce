/** Builds a text with the preview card of a catalog. Phones show "view catalogue" for such a link. */
import type { WAUrlInfo } from '@whiskeysockets/baileys'

type Language = 'en' | 'pt'

const WORDS = {
  en: {
    message: 'Follow this link to view our catalogue on WhatsApp:',
    title: 'View our catalogue on WhatsApp',
    description: 'Learn more about our products and services.',
  },
  pt: {
    message: 'Acesse este link para ver nosso catálogo no WhatsApp:',
    title: 'Veja nosso catálogo no WhatsApp',
    description: 'Saiba mais sobre nossos produtos e serviços.',
  },
} as const satisfies Record<Language, { message: string; title: string; description: string }>

export interface CatalogLink {
  catalog_phone: string
  translation: Language
  title?: string | undefined
  catalog_description?: string | undefined
}

export function catalogLink(message: string | undefined, link: CatalogLink): { text: string; linkPreview: WAUrlInfo } {
  const words = WORDS[link.translation]
  const url = `https://wa.me/c/${link.catalog_phone}`
  return {
    text: `${message ?? words.message}\n${url}`,
    linkPreview: {
      'canonical-url': url,
      'matched-text': url,
      title: link.title ?? words.title,
      description: link.catalog_description ?? words.description,
    },
  }
}
