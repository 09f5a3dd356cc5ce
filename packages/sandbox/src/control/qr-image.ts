import jsQr from 'jsqr'
import { PNG } from 'pngjs'
import { ControlError } from './control-error.ts'

const DATA_URL = /^data:image\/png;base64,/
/**
 * Maximum width and height of a picture in pixels. The codes of the gateway have 512, so a larger picture is not one of
 * them.
 */
const MAX_SIDE = 4096

// The types of the package declare the function as `default`, but at run time the module itself is the function.
const readCode = jsQr as unknown as typeof jsQr.default

export function readQrImage(image: string): string {
  if (!DATA_URL.test(image))
    throw new ControlError('invalid_request', 'image: must be a data URL that begins with data:image/png;base64,')
  const { data, width, height } = readPng(Buffer.from(image.replace(DATA_URL, ''), 'base64'))
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw new ControlError('invalid_request', `image: ${width} x ${height} pixels is too large`)
  const code = readCode(new Uint8ClampedArray(data.buffer, data.byteOffset, data.length), width, height)
  if (!code) throw new ControlError('invalid_request', 'image: no QR code found in it')
  return code.data
}

function readPng(bytes: Buffer): PNG {
  try {
    return PNG.sync.read(bytes)
  } catch (error) {
    throw new ControlError('invalid_request', `image: not a readable PNG (${error instanceof Error ? error.message : error})`)
  }
}
