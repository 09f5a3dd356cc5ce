import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '../../../src/commands/command.ts'
import { helpOf, overview } from '../../../src/commands/help.ts'
import { COMMANDS } from '../../../src/commands/index.ts'
import { parse } from '../../../src/commands/parse.ts'

const read = (...words: string[]) => parse(COMMANDS, words)

test('every command is in the overview and has a help of its own, however it is asked for', () => {
  const all = overview(COMMANDS)
  for (const words of [[], ['--help'], ['-h'], ['help']]) assert.deepEqual(read(...words), { do: 'help' })
  for (const command of COMMANDS) {
    assert.ok(all.includes(`  ${command.name}  `), command.name)
    assert.ok(helpOf(command).startsWith(`Usage: npm run cli -- ${command.name}`), command.name)
    const words = command.name.split(' ')
    for (const asked of [
      ['help', ...words],
      [...words, '--help'],
    ])
      assert.deepEqual(read(...asked), { do: 'help', of: command })
  }
  assert.deepEqual(read('--version'), { do: 'version' })
})

test('a command is given its options, and those of every command stay outside', () => {
  const wanted = read('workspace', 'create', '--name', 'Branch', '--sandbox')
  assert.ok(wanted.do === 'run' && wanted.sandbox)
  assert.deepEqual([wanted.command.name, { ...wanted.given.options }], ['workspace create', { name: 'Branch' }])
})

test('what is not understood is a sentence that names it, and the command whose help tells more', () => {
  const rows: [words: string[], sentence: RegExp, command?: string][] = [
    [['workspace'], /^Unknown command "workspace"; the commands are workspace create, workspace set, workspace list\.$/],
    [['serve'], /^Unknown command "serve"; the commands are admin-key reset, /],
    [['--json'], /^--json can be used only after a command, and none was given\.$/],
    [['workspace', 'list', '--all'], /^Unknown option '--all'\.$/, 'workspace list'],
    [['workspace', 'create'], /^--name is missing: name of the workspace, 1 to 100 characters\.$/, 'workspace create'],
    [['workspace', 'list', 'them'], /^Unexpected argument "them"\.$/, 'workspace list'],
  ]
  for (const [words, sentence, command] of rows)
    assert.throws(
      () => read(...words),
      (error) => error instanceof UsageError && sentence.test(error.message) && error.command === command,
      words.join(' '),
    )
})
