#pragma once
// Which model answers: /v1/model-settings for administrators, /v1/models for whoever asks.
#include "agent/models.hpp"
#include "api/api.hpp"

namespace atl::api {

void add_model_routes(Api& api, agent::Models& models);

}  // namespace atl::api
