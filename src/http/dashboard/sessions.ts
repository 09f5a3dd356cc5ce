import type { Hono } from 'hono'
import type { DashboardSessions } from '../../account/account.ts'
import { Failure } from '../../domain/failures.ts'
import type { Env } from '../mount.ts'
import { openOf, rowsOf } from './session.ts'

export function mountSessions(app: Hono<Env>, path: string, sessions: DashboardSessions): void {
  app.get(path, (c) => {
    c.get('state').route = path
    return c.json({ data: rowsOf(openOf(c).session, sessions) })
  })

  app.delete(`${path}/:id`, async (c) => {
    c.get('state').route = `${path}/{id}`
    const { workspace } = openOf(c).session
    if (!(await sessions.end(workspace, c.req.param('id'))))
      throw new Failure('not_found', { message: 'No session has this id.' })
    return c.json({ value: true })
  })
}
