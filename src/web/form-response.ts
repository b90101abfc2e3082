// Responds to a form of a page, whether or not the person has signed in.

import type { Refusal } from "../domain/errors.ts";
import { isRefusal } from "../domain/errors.ts";
import type { RequestOrigin, Socket } from "../http/handler.ts";
import { formOf } from "./posted-form.ts";
import { refusalPage } from "./refusal-page.tsx";
import { isFromOurPages, notFromOurPages } from "./request-source.ts";

/** Handles a form that came from a page of ours, whether or not the person has signed in. A refusal becomes a page. */
export async function formResponse(
  { isSecure }: Pick<RequestOrigin, "isSecure">,
  request: Request,
  socket: Socket,
  act: (form: URLSearchParams) => Response | Refusal | Promise<Response | Refusal>,
): Promise<Response> {
  const secure = isSecure(request, socket);
  const form = isFromOurPages(request, secure) ? await formOf(request) : notFromOurPages(request, secure);
  const response = isRefusal(form) ? form : await act(form);
  return isRefusal(response) ? refusalPage(request, response, null) : response;
}
