/**
 * Runs the S3 server of the tests in its own process. Its tokens for the next page of a list need a cipher that Node
 * only offers with `--openssl-legacy-provider`. Prints its port, and ends when its standard input ends.
 */
import S3rver from '@20minutes/s3rver'

const [directory, port = '0'] = process.argv.slice(2)
const server = new S3rver({
  address: '127.0.0.1',
  port: Number(port),
  silent: true,
  directory,
  vhostBuckets: false,
  configureBuckets: [{ name: 'media' }],
})
const { port: listening } = await server.run()
process.stdout.write(`${listening}\n`)
process.stdin.resume().once('end', () => process.exit())
