/** The page for a person whose browser asked for an address that does not exist. It shows no part of the address. */
import { BRAND } from '../domain/brand.ts'
import type { Language } from '../domain/language.ts'
import type { Page } from '../features/parts.ts'
import { makePage } from './page.ts'

interface Words {
  title: string
  says: string
  dashboard: string
  docs: string
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Page not found',
    says: 'There is no page at this address. Check whether all of it was copied.',
    dashboard: 'Open the dashboard',
    docs: 'API reference',
  },
  pt: {
    title: 'Página não encontrada',
    says: 'Não há nenhuma página neste endereço. Confira se ele foi copiado por inteiro.',
    dashboard: 'Abrir o painel',
    docs: 'Referência da API',
  },
  es: {
    title: 'Página no encontrada',
    says: 'No hay ninguna página en esta dirección. Compruebe si se copió completa.',
    dashboard: 'Abrir el panel',
    docs: 'Referencia de la API',
  },
}

/**
 * Maximum number of folders that a link goes up. For a longer path the page has no links, so that the page does not
 * grow with the path.
 */
const MAX_STEPS = 16

/**
 * Returns the root of the service as a relative path, because a proxy may serve it under a path of its own. Undefined
 * if the path is too long.
 */
function rootOf(path: string): string | undefined {
  const steps = path.split('/').length - 2
  return steps > MAX_STEPS ? undefined : `./${'../'.repeat(steps)}`
}

interface Served {
  hasDocs: boolean
  hasDashboard: boolean
}

export const unknownAddressPage =
  ({ hasDocs, hasDashboard }: Served) =>
  (language: Language, path: string): Page => {
    const { title, says, dashboard, docs } = WORDS[language]
    const root = rootOf(path)
    const links = [
      ...(hasDashboard ? [`<a href="${root}dashboard">${dashboard}</a>`] : []),
      ...(hasDocs ? [`<a href="${root}docs">${docs}</a>`] : []),
    ]
    return makePage({
      title: `${title} · ${BRAND}`,
      language,
      body: `<h1>${title}</h1><p>${says}</p>${root !== undefined && links.length > 0 ? `<p>${links.join(' · ')}</p>` : ''}`,
    })
  }
