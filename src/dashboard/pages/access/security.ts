import { answer, api } from '../../api/client.ts'

export const loadSecurity = () => answer(api.GET('/admin/security'))
export type Security = Awaited<ReturnType<typeof loadSecurity>>
