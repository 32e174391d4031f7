"""A chat front end, as far as the OpenAI API sees it."""


class Chat:
    """A chat front end: keeps the history, sends all of it, names nothing."""

    def __init__(self, client, model="atoll", **fields):
        self.client, self.model, self.fields, self.messages = client, model, fields, []

    def say(self, text, **more) -> str:
        self.messages.append({"role": "user", "content": text})
        answer = self.client.chat.completions.create(model=self.model, messages=self.messages,
                                                     **{**self.fields, **more})
        self.answer = answer
        said = answer.choices[0].message.content
        self.messages.append({"role": "assistant", "content": said})
        return said

    def stream(self, text, **more) -> list:
        self.messages.append({"role": "user", "content": text})
        chunks = list(self.client.chat.completions.create(model=self.model, messages=self.messages, stream=True,
                                                          **{**self.fields, **more}))
        self.messages.append({"role": "assistant", "content": said_in(chunks)})
        return chunks


def said_in(chunks) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
