const EBS_URL = 'aws://'
const EBS_VOLUME = /^vol-[^/]*$/

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/**
 * Returns the id of the EBS volume in a volumeID: the text itself, or the last part of `aws://ZONE/vol-ID`. Undefined
 * when such a URL has no volume id.
 *
 * @see k8s.io/csi-translation-lib plugins/aws_ebs.go KubernetesVolumeIDToEBSVolumeID (v1.36)
 */
export function ebsVolumeId(text: string): string | undefined {
  if (!text.startsWith(EBS_URL)) return text
  const location = text.slice(EBS_URL.length).split(/[?#]/, 1)[0] ?? ''
  const start = location.indexOf('/')
  const id = start < 0 ? '' : trimSlashes(decodePath(location.slice(start)) ?? '')
  return EBS_VOLUME.test(id) ? id : undefined
}

function trimSlashes(path: string): string {
  let [start, end] = [0, path.length]
  while (path[start] === '/') start += 1
  while (end > start && path[end - 1] === '/') end -= 1
  return path.slice(start, end)
}

/**
 * Returns the region of zones such as `europe-west1-b`; undefined when they have different regions or are not zones.
 *
 * @see k8s.io/csi-translation-lib plugins/gce_pd.go gceGetRegionFromZones (v1.36)
 */
export function gceRegionOf(zones: readonly string[]): string | undefined {
  const regions = new Set<string>()
  for (const zone of zones) {
    const parts = zone.split('-')
    if (parts.length !== 3) return undefined
    regions.add(parts.slice(0, 2).join('-'))
  }
  const [region, ...others] = regions
  return others.length === 0 ? region : undefined
}
