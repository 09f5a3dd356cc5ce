/**
 * Runs the service on a failing disk: a preloaded library makes system calls fail. So the test needs a C compiler and
 * Linux.
 */
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { amount } from '../harness/amount.ts'
import { compilePreloaded } from '../harness/preloaded.ts'
import { tempDir } from '../unit/storage/fixtures.ts'
import { pause, sendUntilAcknowledged, startGround, until } from './ground.ts'
import { line } from './ledger.ts'
import { CONTACTS, createPeople, type Owed, PHONE, settleOutgoing } from './traffic.ts'

/**
 * Source of the preloaded library. Calls fail while the file that the variable `FAIL_AT` names exists. The first letter
 * in this file selects the calls:
 * - `w`: writes of less than 256 bytes in the first 16 KB of a file, with which lmdb writes the record of its newest
 * tree
 * - `p`: writes of at least 4,096 bytes
 * - `s`: syncs
 * - `o`: opening a file with the media of a waiting message
 */
const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static int fails(char what) {
  const char *trigger = getenv("FAIL_AT");
  int file = trigger ? syscall(SYS_openat, AT_FDCWD, trigger, O_RDONLY) : -1;
  char is = 0;
  if (file < 0) return 0;
  syscall(SYS_read, file, &is, 1);
  syscall(SYS_close, file);
  return is == what;
}
#define WRITE(name) ssize_t name(int fd, const void *bytes, size_t size, off_t at) { \\
  ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, #name); \\
  if (size < 256 && at < 16384 && fails('w')) { errno = EIO; return -1; } \\
  if (size >= 4096 && fails('p')) { errno = EIO; return -1; } \\
  return real(fd, bytes, size, at); }
WRITE(pwrite)
WRITE(pwrite64)
#define OPEN(name) int name(const char *path, int flags, ...) { \\
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name); \\
  va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \\
  if (strstr(path, "/blobs/") && fails('o')) { errno = EMFILE; return -1; } \\
  return real(path, flags, mode); }
#define SYNC(name) int name(int fd) { \\
  int (*real)(int) = dlsym(RTLD_NEXT, #name); \\
  if (fails('s')) { errno = EIO; return -1; } \\
  return real(fd); }
SYNC(fdatasync)
SYNC(fsync)
OPEN(open)
OPEN(open64)
`

async function failingLibrary(t: TestContext, dir: string): Promise<string | undefined> {
  const [source, library] = [join(dir, 'fail.c'), join(dir, 'fail.so')]
  await writeFile(source, SOURCE)
  const reason = compilePreloaded(source, library)
  if (reason === false) return library
  t.skip(reason)
  return undefined
}

async function onFailingDisk(t: TestContext) {
  const dir = await tempDir(t)
  const library = await failingLibrary(t, dir)
  if (library === undefined) return undefined
  const trigger = join(dir, 'fail')
  const ground = await startGround({}, { LD_PRELOAD: library, FAIL_AT: trigger })
  t.after(() => ground.stop())
  const instance = await ground.gateway.connected(ground.sandbox, PHONE, ground.receiver)
  await createPeople(ground.sandbox)
  return {
    ground,
    instance,
    fail: (what: 'w' | 'p' | 's' | 'o') => writeFile(trigger, what),
    works: () => rm(trigger),
  }
}

const LOST = ['disconnected', 'The connection to the network was lost; reconnecting.'] as const

const ENDS = [
  ['w', 'the record of the newest tree'],
  ['p', 'a page'],
] as const

for (const [what, name] of amount(ENDS, ENDS.slice(0, 1))) {
  test(`${name} cannot be written: the process ends by itself, and the next one has all that was acknowledged`, {
    timeout: 180_000,
  }, async (t) => {
    const world = await onFailingDisk(t)
    if (!world) return
    const { ground, instance } = world
    const owed: Owed[] = []
    const send = async (message: string) => {
      const ack = await sendUntilAcknowledged(ground.gateway, instance, CONTACTS[0], message)
      owed.push({ svcId: ack.svc_id, messageId: ack.message_id, to: CONTACTS[0], message })
    }
    for (let number = 1; number <= 5; number++) await send(`before ${number}`)

    await world.fail(what)
    const later = send('in the middle of it')
    const ended = await Promise.race([ground.service.ended, new Promise<null>((resolve) => setTimeout(resolve, 20_000, null))])
    await world.works()
    assert.ok(ended, 'it ended by itself')
    assert.equal(owed.length, 5, 'nothing was acknowledged that is not stored')

    await ground.start()
    await later
    await until('all of them', async () => (await settleOutgoing(ground, owed)).lost.length === 0)
    const { sent, unique, duplicates } = await settleOutgoing(ground, owed)
    t.diagnostic(line('failing disk', { sent, unique, duplicates }))
    assert.equal(unique, 6)
  })
}

test('while nothing can be synced nothing is acknowledged, and the service is not ready', { timeout: 180_000 }, async (t) => {
  const world = await onFailingDisk(t)
  if (!world) return
  const { ground, instance } = world
  const { gateway } = ground
  const ready = async () => {
    const answer = await fetch(`${gateway.baseUrl}/health/ready`)
    return [answer.status, JSON.stringify(await answer.json())] as const
  }
  assert.equal((await ready())[0], 200)
  await world.fail('s')
  const { status, body } = await gateway.ask(instance, 'POST', '/send-text', { phone: CONTACTS[0], message: 'not stored' })
  assert.equal(status, 503, JSON.stringify(body))
  const [refused, why] = await ready()
  assert.equal(refused, 503)
  assert.match(why, /"database":"failed"/)
  // The disk fails, so the state `disconnected` cannot be written. The answers and the lists must show it nevertheless.
  await ground.sandbox.setDown(true)
  const now = async () => (await gateway.ask(instance, 'GET', '/status')).body
  await until('the end of the session', async () => (await now()).connected === false)
  const { status: seen, error, smartphone_connected } = await now()
  assert.deepEqual([seen, error, smartphone_connected], [...LOST, false])
  const { status: named, status_reason, connected, disconnected_at } = (await gateway.ask(instance, 'GET', '/me')).body
  assert.deepEqual([named, status_reason, connected, disconnected_at !== null], ['disconnected', 'connection_lost', false, true])
  await ground.sandbox.setDown(false)
  await world.works()
  await sendUntilAcknowledged(gateway, instance, CONTACTS[0], 'stored')
  assert.equal((await ready())[0], 200, 'with the first commit that is taken')
})

test('media that cannot be opened for a while is sent when it can', { timeout: 180_000 }, async (t) => {
  const world = await onFailingDisk(t)
  if (!world) return
  const { ground, instance } = world
  const { gateway, receiver } = ground
  const document = Buffer.alloc(1_000, 1).toString('base64')
  const input = { phone: CONTACTS[0], document, file_name: 'a.bin' }
  const { svc_id } = await gateway.must(instance, 'POST', '/send-document', { ...input, delay_message: 4 })
  await world.fail('o')
  const refused = await gateway.ask(instance, 'POST', '/send-document', input)
  assert.equal(refused.status, 503, JSON.stringify(refused.body))
  await pause(6_000)
  assert.deepEqual(receiver.events('delivery'), [])
  await world.works()
  const delivery = await receiver.waitFor('its delivery', (event) => event.type === 'delivery' && event.svc_id === svc_id)
  assert.equal(delivery.status, 'sent', JSON.stringify(delivery))
})
