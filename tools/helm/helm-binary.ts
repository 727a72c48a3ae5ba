import { layerBinary, type BinaryOptions } from './layer-binary.ts'

/**
 * The path of a Helm 4: that of the machine, or one that is unpacked into the cache.
 *
 * @throws Error saying what to install.
 */
export function helmBinary(options?: BinaryOptions): Promise<string> {
  const versionArgs = ['version', '--template', '{{.Version}}']
  return layerBinary({ name: 'helm', versionArgs, version: /^v4\.\d+\.\d+/ }, options)
}
