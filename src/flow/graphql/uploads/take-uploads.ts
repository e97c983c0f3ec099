import { type jsonValues, refuseByLimit } from '../../../core/index.js';
import type { HttpExchange } from '../../calls/http-exchange.js';
import { invite } from '../../http/invite-body.js';
import { formBoundary } from './form-reader.js';
import { UploadForm, type UploadLimits } from './upload-form.js';

/** The files of a request. */
interface Uploads {
  /** The parameters of the request, with the files in its variables. Rejects with a refusal. */
  read(bounds: jsonValues.JsonBounds): Promise<unknown>;
  /** The operation is over. */
  close(): void;
}

/**
 * The files of a request, which is a multipart form; null for another request, or where no files
 * are taken.
 */
export function takeUploads(
  limits: UploadLimits,
  { exchange, request, response }: HttpExchange,
): Uploads | null {
  const { 'content-type': type, 'content-length': length } = request.headers;
  const { graphql, mime } = limits;
  const { uploads, uploadBytes, bodyBytes } = graphql;
  if (uploads === 0 || type === undefined || request.method !== 'POST' || !isForm(type)) {
    return null;
  }
  let form: UploadForm | null = null;
  return {
    async read(bounds) {
      const boundary = formBoundary(type, mime);
      const mostBytes = uploadBytes + bodyBytes + (uploads + 3) * mime.partHeaderBytes;
      if (Number(length ?? 0) > mostBytes) {
        throw refuseByLimit('HTTP_TOO_LARGE', 'limits.graphql.uploadBytes', uploadBytes);
      }
      invite(request, response);
      form = new UploadForm(request, boundary, limits, (bytes) => {
        exchange.bytesIn += bytes;
      });
      return form.read(bounds);
    },
    close: () => form?.close(),
  };
}

const isForm = (contentType: string): boolean =>
  /^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType);
