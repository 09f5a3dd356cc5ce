/**
 * Starts reverse proxies in front of a service, which add the caller's address as real proxies do. Tests give this
 * address in the header `X-Test-Caller`, because every caller on one machine has a loopback address.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sampleWith } from './samples.ts'
import { untilListening } from './until-listening.ts'

export type HeaderLine = readonly [name: string, value: string]

export interface FrontProxy {
  port: number
  stop(): Promise<void>
}

export interface ProxyRoute {
  to: string
  from: string
}

export const CALLER = 'X-Test-Caller'
const FORWARDED_FOR = 'X-Forwarded-For'

const is = (wanted: string) => (line: HeaderLine) => line[0].toLowerCase() === wanted.toLowerCase()
const isNot = (wanted: string) => (line: HeaderLine) => !is(wanted)(line)
const valuesOf = (lines: readonly HeaderLine[], name: string) => lines.filter(is(name)).map(([, value]) => value)

function merged(lines: readonly HeaderLine[]): HeaderLine[] {
  const names = [...new Set(lines.map(([name]) => name.toLowerCase()))]
  return names.map((name) => [name, valuesOf(lines, name).join(name === 'cookie' ? '; ' : ', ')])
}

/**
 * For each kind of proxy, a function that returns the header lines that it sends. The kinds differ in how they add the
 * caller's address.
 */
const ARRANGEMENTS = {
  /**
   * The proxy appends the address to the `X-Forwarded-For` of the caller, and sorts all lines by name, as proxies
   * written in Go do.
   */
  sorting: (lines: readonly HeaderLine[], caller: string): HeaderLine[] => {
    const forwarded = [...valuesOf(lines, FORWARDED_FOR), caller].join(', ')
    const all: HeaderLine[] = [...lines.filter(isNot(FORWARDED_FOR)), [FORWARDED_FOR, forwarded]]
    const nameOf = ([name]: HeaderLine) => name.toLowerCase()
    return all.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : nameOf(one) > nameOf(other) ? 1 : 0))
  },
  /** The proxy adds its line after all others, as HAProxy does. */
  appending: (lines: readonly HeaderLine[], caller: string): HeaderLine[] => [...lines, [FORWARDED_FOR, caller]],
  merging: (lines: readonly HeaderLine[], caller: string): HeaderLine[] => merged([...lines, [FORWARDED_FOR, caller]]),
}
export type Arrangement = keyof typeof ARRANGEMENTS

const END_OF_HEAD = '\r\n\r\n'

/**
 * Returns the head of the request that the proxy sends. A line that begins with a blank continues the line before it,
 * and is passed on unchanged.
 */
function arranged(head: string, arrangement: Arrangement): string {
  const [start, ...rest] = head.split(/\r\n(?![ \t])/)
  const lines = rest.map((line): HeaderLine => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const [caller = '127.0.0.1'] = valuesOf(lines, CALLER)
  const leaving = ARRANGEMENTS[arrangement](lines.filter(isNot(CALLER)), caller)
  return [start, ...leaving.map(([name, value]) => `${name}: ${value}`)].join('\r\n') + END_OF_HEAD
}

export async function startProxy(arrangement: Arrangement, { to, from }: ProxyRoute): Promise<FrontProxy> {
  const sockets = new Set<Socket>()
  const hold = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    hold(near)
    let head = ''
    near.on('data', function read(piece: Buffer) {
      head += piece.toString('latin1')
      const end = head.indexOf(END_OF_HEAD)
      if (end < 0) return
      near.off('data', read)
      const far = connect({ port: Number(new URL(to).port), host: '127.0.0.1', localAddress: from })
      hold(far)
      far.write(arranged(head.slice(0, end), arrangement) + head.slice(end + END_OF_HEAD.length), 'latin1')
      near.pipe(far).pipe(near)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const NGINX = '/usr/sbin/nginx'
export const nginxMissing = existsSync(NGINX) ? false : `nginx is not installed: there is no ${NGINX}`

/**
 * Returns the nginx configuration of docs/running.md, with the address of the service replaced. It also removes the
 * test's own header from the requests.
 */
const guide = (to: string) =>
  sampleWith('docs/running.md', 'proxy_pass')
    .replace('http://127.0.0.1:8080', to)
    .replace('proxy_http_version', `proxy_set_header ${CALLER} ""; proxy_http_version`)

const nginxConfig = (dir: string, { to, from }: ProxyRoute) => `
daemon off;
master_process off;
pid ${dir}/pid;
error_log stderr crit;
events {}
http {
  access_log off;
  client_body_temp_path ${dir}/body;
  proxy_temp_path ${dir}/proxy;
  fastcgi_temp_path ${dir}/fastcgi;
  uwsgi_temp_path ${dir}/uwsgi;
  scgi_temp_path ${dir}/scgi;
  set_real_ip_from 127.0.0.1;
  real_ip_header ${CALLER};
  server {
    listen 127.0.0.1:PORT;
    proxy_bind ${from};
    ${guide(to)}
  }
}
`

/** Returns a port that was free a moment ago. nginx cannot choose a free port itself, so the test chooses one. */
export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export async function startNginx(route: ProxyRoute): Promise<FrontProxy> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-nginx-'))
  const port = await freePort()
  const config = join(dir, 'nginx.conf')
  await writeFile(config, nginxConfig(dir, route).replace('PORT', String(port)))
  const child = spawn(NGINX, ['-p', dir, '-c', config], { stdio: ['ignore', 'ignore', 'inherit'] })
  const kill = () => child.kill('SIGKILL')
  process.on('exit', kill)
  await untilListening(port, child)
  return {
    port,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      process.off('exit', kill)
      await rm(dir, { recursive: true, force: true })
    },
  }
}
